package dev.gossamer.cli.machine;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.comm.Communicator;
import dev.gossamer.graph.Progress;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.planner.Quantity;
import dev.gossamer.planner.RateTable;
import dev.gossamer.planner.Work;
import dev.gossamer.planner.calibration.Calibration;
import dev.gossamer.planner.calibration.Effort;
import dev.gossamer.planner.calibration.LinkTimes;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Measures this machine, or under a launcher its cluster, and writes the rates for plans.
public final class Calibrate {
  private final CommandSpec spec;
  private final CommonOptions common;
  private final Path file;

  /// @param file to write
  Calibrate(CommandSpec spec, CommonOptions common, Path file) {
    this.spec = spec;
    this.common = common;
    this.file = file;
  }

  /// @param spec of the command, which prints
  /// @param common its flags
  /// @param launch a single process, or those of a launcher
  /// @param given file to write; null for the cached calibration of this machine
  /// @return exit status
  /// @throws InvalidInputException before anything is measured, if the file is something else or
  ///   cannot be written
  public static int run(
      CommandSpec spec, CommonOptions common, RankLaunch launch, @Nullable Path given) {
    if (given == null && launch.underLauncher()) {
      throw new InvalidInputException(
          "--calibrate: expected a file to write under a launcher, found none; give --calibrate cluster.yaml");
    }
    Calibrate calibrate =
        new Calibrate(spec, common, given == null ? Calibration.keptFile() : given);
    if (launch.isFirstProcess()) {
      calibrate.requireWritable(given != null);
    }
    if (launch.underLauncher()) {
      launch.run(calibrate::measureRanks);
    } else {
      calibrate.write(
          shown(common.quiet, progress -> Calibration.ofMachine(Effort.FULL, progress)), false);
    }
    return 0;
  }

  private void measureRanks(Communicator ranks) {
    boolean first = ranks.rank() == 0;
    Calibration measured =
        shown(
            common.quiet || !first, progress -> Calibration.ofRanks(ranks, Effort.FULL, progress));
    if (first) {
      write(measured, true);
    }
  }

  private static Calibration shown(boolean quiet, Function<Progress, Calibration> measuring) {
    try (ProgressSteps steps = new ProgressSteps(quiet)) {
      return measuring.apply(steps);
    }
  }

  /// A minute of measuring is not to cost a file that is something else, nor to be lost because its
  /// result cannot be written.
  ///
  /// @param foreign whether the file is not one of ours by its place
  private void requireWritable(boolean foreign) {
    if (foreign && Files.exists(file)) {
      try {
        ClusterFile.requireCluster(file);
      } catch (InvalidInputException e) {
        throw new InvalidInputException(
            "--calibrate: expected a new file or one of a cluster to replace, found another (%s); choose another name"
                .formatted(e.getMessage()),
            e);
      }
    }
    AtomicOutput.requireWritable(file);
  }

  /// A single machine cannot measure a cluster: in a cluster file it replaces only the rates.
  ///
  /// @param whole whether all nodes were measured
  void write(Calibration measured, boolean whole) {
    Cluster cluster = measured.cluster();
    if (!whole && Files.exists(file) && !file.equals(Calibration.keptFile())) {
      Cluster before = ClusterFile.read(file, cluster::rates);
      if (before.nodes() > 1) {
        cluster =
            new Cluster(
                before.nodes(),
                before.ranksPerNode(),
                before.coresPerNode(),
                before.memoryPerNode(),
                before.inside(),
                before.between(),
                cluster.rates());
      }
    }
    ClusterFile.write(file, cluster);
    if (common.json) {
      printJson(measured, cluster);
    } else {
      printTables(measured, cluster);
    }
  }

  private void printTables(Calibration measured, Cluster cluster) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%d node%s of %d cores and %s, %d ranks on each%n%n",
        cluster.nodes(),
        cluster.nodes() == 1 ? "" : "s",
        cluster.coresPerNode(),
        MemoryEstimate.readable(cluster.memoryPerNode()),
        cluster.ranksPerNode());
    Table links = new Table().row("messages", "latency", "bandwidth");
    links(links, "inside a node", measured.inside());
    measured.between().ifPresent(times -> links(links, "between nodes", times));
    links.print(out);
    measured
        .rates()
        .tables()
        .forEach((work, table) -> {
          Table lines =
              new Table()
                  .row(
                      headline(work),
                      "1 thread",
                      "%d threads".formatted(measured.rates().threads()));
          for (RateTable.Point point : table.points()) {
            lines.row(
                point.at().stream().map(String::valueOf).collect(Collectors.joining(" x ")),
                ClusterFile.text(work, point.one()),
                ClusterFile.text(work, point.all()));
          }
          out.println();
          lines.print(out);
        });
    out.printf("%nwritten  %s%n", file);
    out.flush();
  }

  private static void links(Table table, String where, LinkTimes times) {
    link(table, where + ", one at a time", times.single());
    link(table, where + ", all with all", times.exchange());
  }

  private static void link(Table table, String name, LinkRates link) {
    table.row(name, Quantity.TIME.text(link.latency()), Quantity.BANDWIDTH.text(link.bandwidth()));
  }

  private static String headline(Work work) {
    return switch (work) {
      case START -> "start of a kernel";
      case MATMUL -> "X W: columns of X x of W";
      case MATMUL_RAGGED -> "X W, ragged: columns of X x of W";
      case WEIGHT_GRADIENT -> "X^T G: columns of X x of G";
      case SPMM -> "an entry of SpMM: rows x degree x columns";
      case SPMM_RAGGED -> "an entry of SpMM, ragged: rows x degree x columns";
      case ATTENTION -> "an edge of attention: rows x degree x heads x columns";
      case STREAM -> "elementwise: bytes";
      case DROPOUT -> "an element of dropout";
      case DROPOUT_SPARSE -> "an entry of dropout, sparse";
      case LOSS -> "a row of the loss: classes";
      case SAMPLING -> "a sampled edge";
      case TRANSPOSE -> "a transposed entry";
      case GATHER -> "a gathered row: bytes";
    };
  }

  private void printJson(Calibration measured, Cluster cluster) {
    ObjectNode node = JsonOutput.object();
    node.put("file", file.toString());
    node.put("nodes", cluster.nodes());
    node.put("ranks_per_node", cluster.ranksPerNode());
    node.put("cores_per_node", cluster.coresPerNode());
    node.put("memory_per_node_bytes", cluster.memoryPerNode());
    putLinks(node.putObject("inside"), measured.inside());
    measured.between().ifPresent(times -> putLinks(node.putObject("between"), times));
    node.put("threads", measured.rates().threads());
    ObjectNode rates = node.putObject("rates");
    measured
        .rates()
        .tables()
        .forEach((work, table) -> {
          ArrayNode points = rates.putArray(work.key().replace('-', '_'));
          for (RateTable.Point point : table.points()) {
            ObjectNode each = points.addObject();
            ArrayNode sizes = each.putArray("sizes");
            point.at().forEach(sizes::add);
            each.put("one_thread_seconds", point.one());
            each.put("all_threads_seconds", point.all());
          }
        });
    spec.commandLine().getOut().println(JsonOutput.line(node));
    spec.commandLine().getOut().flush();
  }

  private static void putLinks(ObjectNode node, LinkTimes times) {
    putLink(node, "", times.exchange());
    putLink(node, "single_", times.single());
  }

  private static void putLink(ObjectNode node, String prefix, LinkRates link) {
    node.put(prefix + "latency_seconds", link.latency());
    node.put(prefix + "bandwidth_bytes_per_second", link.bandwidth());
  }
}
