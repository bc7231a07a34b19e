package dev.gossamer.cli.machine;

import dev.gossamer.cli.terminal.CacheReport;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.graph.cache.CacheListener;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.planner.calibration.Calibration;
import dev.gossamer.run.memory.MemoryEstimate;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The flag that sets the machines of a plan.
public class ClusterOptions {
  @Option(
      names = "--cluster",
      paramLabel = "FILE",
      description =
          "The machines: nodes, ranks and cores of a node, memory, links and rates (see docs/formats.md; default:"
              + " this machine, measured in two seconds and cached).")
  public @Nullable Path cluster;

  /// Whether a file describes the machines.
  public final boolean isOtherCluster() {
    return cluster != null;
  }

  /// Waits until the rates of this machine are known, so that the processes of a launcher do not
  /// slow down the one that measures.
  public final void awaitRates() {
    if (cluster == null) {
      Calibration.keptForLaunched(CacheListener.SILENT);
    }
  }

  /// Returns the machines of a run that is about to start.
  ///
  /// @param launched whether a launcher has started the processes
  /// @param warnings notified if there are none
  /// @return empty if their rates are unknown and cannot be measured
  public final Optional<Cluster> clusterOfRun(
      boolean launched, CommonOptions common, Consumer<String> warnings) {
    if (!launched) {
      return Optional.of(cluster(common));
    }
    Optional<Cluster> machines = clusterOfLaunched(common);
    if (machines.isEmpty()) {
      warnings.accept(
          "nothing is planned: this process is bound to some of the cores, and the rates of the machine are not measured yet; run 'gossamer plan' without a launcher to measure them");
    }
    return machines;
  }

  private Optional<Cluster> clusterOfLaunched(CommonOptions common) {
    if (cluster != null) {
      return Optional.of(cluster(common));
    }
    try (CacheReport report = new CacheReport(common)) {
      return Calibration.keptForLaunched(report);
    }
  }

  /// Returns the machines in one line.
  public static String line(Cluster cluster) {
    String node =
        "%s of %d cores and %s"
            .formatted(
                cluster.nodes() == 1 ? "1 node" : cluster.nodes() + " nodes",
                cluster.coresPerNode(),
                MemoryEstimate.readable(cluster.memoryPerNode()));
    return "cluster  %s; messages take %s inside a node%s"
        .formatted(
            node,
            text(cluster.inside()),
            cluster.nodes() == 1 ? "" : ", " + text(cluster.between()) + " between nodes");
  }

  private static String text(LinkRates link) {
    return String.format(
        Locale.ROOT,
        "%.1f us and a byte at %.2f GB/s",
        link.latency() * 1e6,
        link.bandwidth() / 1e9);
  }

  /// The machines; rates that a file does not contain are measured on this machine.
  public final Cluster cluster(CommonOptions common) {
    try (CacheReport report = new CacheReport(common)) {
      return cluster == null
          ? Calibration.kept(report)
          : ClusterFile.read(cluster, () -> Calibration.kept(report).rates());
    }
  }
}
