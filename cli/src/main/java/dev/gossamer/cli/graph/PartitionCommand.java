package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.GraphPartitioning;
import dev.gossamer.MachineSettings;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.NpyFile;
import dev.gossamer.cli.data.DataOptions;
import dev.gossamer.cli.data.DatasetText;
import dev.gossamer.cli.machine.MachineOptions;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.FlagGroup;
import dev.gossamer.cli.terminal.ForceOptions;
import dev.gossamer.cli.terminal.GroupedHelp;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.exchange.Placement;
import dev.gossamer.graph.GraphData;
import dev.gossamer.partition.Balance;
import dev.gossamer.partition.Partition;
import dev.gossamer.partition.PartitionQuality;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.SystemMemory;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "partition",
    description = {
      "Partition the vertices of a graph, for 'train --placement' or for any other program.",
      "Writes a part file in METIS format, one line per vertex with its part, and the permutation that makes parts"
          + " contiguous (int32 .npy: the new number of each vertex).",
      "Volume is counted in rows: a vertex costs its part one row for each other part that has a neighbour of it.",
    },
    sortOptions = false,
    abbreviateSynopsis = true,
    modelTransformer = PartitionCommand.Methods.class,
    footerHeading = "%nMethods, and what each minimises:%n",
    footer = {
      "",
      "Examples:",
      "  gossamer partition --data my-graph --parts 16",
      "  gossamer partition --data my-graph --parts 64 --method volume --nonzero-imbalance 0.1 -o my.part",
      "  gossamer partition --data my-graph --report my.part --json",
      "  gossamer partition --data my-graph --parts 256 --estimate",
      "For 'train --replication C' over P ranks, make P/C parts.",
    })
public final class PartitionCommand implements Callable<Integer> {
  /// Groups the flags and lists the partitioners at the top of the footer.
  static final class Methods implements CommandLine.IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec spec) {
      Stream<String> methods =
          Partitioner.all().stream()
              .map(method -> "  %-13s  %s".formatted(method.name(), method.description()));
      spec.usageMessage()
          .footer(
              Stream.concat(methods, Arrays.stream(spec.usageMessage().footer()))
                  .toArray(String[]::new));
      return new GroupedHelp().transform(spec);
    }
  }

  @Spec CommandSpec spec;

  @FlagGroup(
      value = "Data:",
      sentence = "Needed to partition anything but the class references of the running JDK.")
  @Mixin
  DataOptions data = new DataOptions();

  @FlagGroup(
      value = "Partition:",
      sentence =
          "--parts is needed unless --report is given, the others for another method or balance.")
  @Mixin
  PartitionOptions wanted = new PartitionOptions();

  @FlagGroup("Partition:")
  @Mixin
  ForceOptions existing = new ForceOptions();

  @FlagGroup(value = "Machine:", sentence = "Needed to leave cores or memory to other programs.")
  @Mixin
  MachineOptions machine = new MachineOptions();

  @FlagGroup("Output:")
  @Mixin
  CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    Balance balance = wanted.balance();
    MachineSettings limits = machine.settings();
    if (wanted.report == null && wanted.parts == null) {
      throw new InvalidInputException("--parts: expected a number of parts, found none");
    }
    if (wanted.report != null && !Files.exists(wanted.report)) {
      throw new InvalidInputException(
          "--report: expected an existing part file, found " + wanted.report);
    }
    try (Dataset dataset = data.open(common);
        ProgressSteps progress = new ProgressSteps(common.quiet)) {
      GraphPartitioning partitioning =
          GraphPartitioning.of(dataset)
              .parts(wanted.parts == null ? 1 : wanted.parts)
              .method(wanted.method)
              .balance(balance)
              .seed(wanted.seed)
              .machine(limits)
              .listener(
                  new GraphPartitioning.Listener(
                      (with, bytes) ->
                          begin(
                              spec.commandLine().getErr(),
                              common,
                              with,
                              wanted.parts == null ? 1 : wanted.parts,
                              bytes),
                      progress));
      if (wanted.report != null) {
        judge(dataset.data(), partitioning, wanted.report);
      } else if (wanted.estimate) {
        printEstimate(dataset.data(), partitioning);
      } else {
        divide(dataset.data(), partitioning);
      }
    }
    return 0;
  }

  /// Reports that a graph is about to be partitioned.
  static void begin(
      PrintWriter err, CommonOptions common, Partitioner partitioner, int parts, long bytes) {
    if (!common.quiet) {
      err.printf(
          "partitioning into %d parts with %s, %s estimated beyond the graph%n",
          parts, partitioner.name(), MemoryEstimate.readable(bytes));
      err.flush();
    }
  }

  private void judge(GraphData dataset, GraphPartitioning partitioning, Path file) {
    @Nullable Integer parts = wanted.parts;
    Partition read =
        parts == null
            ? Partition.read(file, dataset.vertices())
            : Partition.read(file, dataset.vertices(), parts);
    print(dataset, "file", PartitionQuality.of(partitioning.request(), read), null);
  }

  private void divide(GraphData dataset, GraphPartitioning partitioning) {
    int parts = partitioning.request().parts();
    Path file = wanted.out == null ? Path.of(dataset.name() + ".part." + parts) : wanted.out;
    Path permutation = file.resolveSibling(file.getFileName() + ".npy");
    existing.requireNew(file);
    existing.requireNew(permutation);
    GraphPartitioning.Result made = partitioning.run();
    write(made, file, permutation);
    print(dataset, made.method(), made.quality(), made);
    if (!common.json) {
      spec.commandLine().getOut().printf("written        %s, %s%n", file, permutation);
      spec.commandLine().getOut().flush();
    }
  }

  /// Both files or neither: one is written before the other takes its name.
  private static void write(GraphPartitioning.Result made, Path file, Path permutation) {
    Partition partition = made.partition();
    Placement placement = Placement.of(partition.toArray(), partition.parts());
    try (Arena arena = Arena.ofConfined()) {
      int n = partition.vertices();
      MemorySegment ids = arena.allocate(ValueLayout.JAVA_INT, n);
      for (int v = 0; v < n; v++) {
        ids.setAtIndex(ValueLayout.JAVA_INT, v, placement.newId(v));
      }
      AtomicOutput.file(
          permutation,
          temporary -> {
            NpyFile.write(temporary, NpyFile.Type.INT32, ids, n);
            made.write(file);
          });
    }
  }

  private void printEstimate(GraphData dataset, GraphPartitioning partitioning) {
    long bytes = partitioning.estimatedBytes();
    int count = partitioning.request().parts();
    PrintWriter to = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("dataset", dataset.name());
      node.put("method", wanted.method);
      node.put("parts", count);
      node.put("estimated_bytes", bytes);
      to.println(JsonOutput.line(node));
    } else {
      DatasetText.print(dataset, to);
      to.printf(
          "memory   %s estimated for %s into %d parts%n",
          MemoryEstimate.readable(bytes), wanted.method, count);
    }
    to.flush();
  }

  /// @param run how the partition was made, or null for one that was read
  private void print(
      GraphData dataset,
      String how,
      PartitionQuality quality,
      GraphPartitioning.@Nullable Result run) {
    PrintWriter to = spec.commandLine().getOut();
    if (common.json) {
      to.println(JsonOutput.line(json(dataset, how, quality, run)));
    } else {
      DatasetText.print(dataset, to);
      printText(to, how, quality, run);
    }
    to.flush();
  }

  private static ObjectNode json(
      GraphData dataset, String how, PartitionQuality q, GraphPartitioning.@Nullable Result run) {
    ObjectNode node = JsonOutput.object();
    node.put("dataset", dataset.name());
    node.put("method", how);
    node.put("parts", q.parts());
    node.put("edge_cut", q.edgeCut());
    node.put("total_volume", q.totalVolume());
    node.put("max_send_volume", q.maxSend());
    node.put("avg_send_volume", q.averageSend());
    node.put("max_receive_volume", q.maxReceive());
    node.put("max_messages", q.maxMessages());
    node.put("vertex_imbalance", q.vertexImbalance());
    node.put("nonzero_imbalance", q.nonzeroImbalance());
    node.put("train_imbalance", q.trainingImbalance());
    if (run != null) {
      node.put("seconds", run.seconds());
      node.put("estimated_bytes", run.estimatedBytes());
    }
    node.put("peak_rss_bytes", SystemMemory.peakResident());
    return node;
  }

  private static void printText(
      PrintWriter to, String how, PartitionQuality q, GraphPartitioning.@Nullable Result run) {
    to.printf(Locale.ROOT, "method         %s, %,d parts%n", how, q.parts());
    to.printf(Locale.ROOT, "edge cut       %,d%n", q.edgeCut());
    to.printf(Locale.ROOT, "total volume   %,d rows%n", q.totalVolume());
    to.printf(
        Locale.ROOT,
        "send volume    %,d rows at most, %,.1f on average (%.1f %% above)%n",
        q.maxSend(),
        q.averageSend(),
        100 * q.sendImbalance());
    to.printf(Locale.ROOT, "receive volume %,d rows at most%n", q.maxReceive());
    to.printf(Locale.ROOT, "messages       %,d from a part at most%n", q.maxMessages());
    to.printf(
        Locale.ROOT,
        "imbalance      vertices %.2f %%, nonzeros %.2f %%, training vertices %.2f %%%n",
        100 * q.vertexImbalance(),
        100 * q.nonzeroImbalance(),
        100 * q.trainingImbalance());
    if (run != null) {
      to.printf(Locale.ROOT, "time           %.2f s%n", run.seconds());
      to.printf(
          "memory         %s peak resident, %s estimated beyond the graph%n",
          MemoryEstimate.readable(SystemMemory.peakResident()),
          MemoryEstimate.readable(run.estimatedBytes()));
    }
  }
}
