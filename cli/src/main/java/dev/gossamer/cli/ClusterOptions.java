package dev.gossamer.cli;

import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.calibration.Calibration;
import java.nio.file.Path;
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

  /// The machines; what a file does not say of their rates is measured here.
  final Cluster cluster(CommonOptions common) {
    try (CacheReport report = new CacheReport(common)) {
      return cluster == null
          ? Calibration.kept(report)
          : ClusterFile.read(cluster, () -> Calibration.kept(report).rates());
    }
  }
}
