package dev.gossamer.cli;

import dev.gossamer.graph.cache.CacheListener;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.calibration.Calibration;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The flag that says what machines a plan is for.
class ClusterOptions {
  @Option(
      names = "--cluster",
      paramLabel = "FILE",
      description =
          "The machines: nodes, ranks and cores of a node, memory, links and rates (see docs/formats.md; default: this"
              + " machine, measured in two seconds and kept).")
  @Nullable Path cluster;

  /// Whether a file says what the machines are.
  final boolean isOtherCluster() {
    return cluster != null;
  }

  /// Waits until the rates of this machine are known: what processes of a launcher do beside the
  /// one that measures them would be missing from them.
  final void awaitRates() {
    if (cluster == null) {
      Calibration.keptForLaunched(CacheListener.SILENT);
    }
  }

  /// The machines, for processes of a launcher.
  ///
  /// @return empty if nothing is known of them, and nothing can be measured
  final Optional<Cluster> clusterOfLaunched(CommonOptions common) {
    if (cluster != null) {
      return Optional.of(cluster(common));
    }
    try (CacheReport report = new CacheReport(common)) {
      return Calibration.keptForLaunched(report);
    }
  }

  /// The machines; what a file does not say of their rates is measured here.
  final Cluster cluster(CommonOptions common) {
    try (CacheReport report = new CacheReport(common)) {
      return cluster == null
          ? Calibration.kept(report)
          : ClusterFile.read(cluster, () -> Calibration.kept(report).rates());
    }
  }
}
