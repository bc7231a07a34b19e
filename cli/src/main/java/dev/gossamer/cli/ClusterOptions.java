package dev.gossamer.cli;

import dev.gossamer.graph.cache.CacheListener;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.calibration.Calibration;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The flag that sets the machines of a plan.
class ClusterOptions {
  @Option(
      names = "--cluster",
      paramLabel = "FILE",
      description =
          "The machines: nodes, ranks and cores of a node, memory, links and rates (see docs/formats.md; default:"
              + " this machine, measured in two seconds and cached).")
  @Nullable Path cluster;

  /// Whether a file describes the machines.
  final boolean isOtherCluster() {
    return cluster != null;
  }

  /// Waits until the rates of this machine are known, so that the processes of a launcher do not
  /// slow down the one that measures.
  final void awaitRates() {
    if (cluster == null) {
      Calibration.keptForLaunched(CacheListener.SILENT);
    }
  }

  /// Returns the machines, for processes of a launcher.
  ///
  /// @return empty if their rates are unknown and cannot be measured
  final Optional<Cluster> clusterOfLaunched(CommonOptions common) {
    if (cluster != null) {
      return Optional.of(cluster(common));
    }
    try (CacheReport report = new CacheReport(common)) {
      return Calibration.keptForLaunched(report);
    }
  }

  /// Returns the machines; rates that a file does not contain are measured on this machine.
  final Cluster cluster(CommonOptions common) {
    try (CacheReport report = new CacheReport(common)) {
      return cluster == null
          ? Calibration.kept(report)
          : ClusterFile.read(cluster, () -> Calibration.kept(report).rates());
    }
  }
}
