package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.matrix.CsrMatrix;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/// Sampled edges per second as a function of `k`, the number of batches that are sampled at a time
/// (MBS, section 6.1), on an R-MAT graph or that of a data set: the same batches in bulks of each
/// size, in turns.
@Command(name = "sampling", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class SamplingComparison implements Callable<Integer> {
  @Option(names = "--scale", description = "log2 of the vertices")
  private int scale = 18;

  @Option(names = "--edge-factor", description = "edges drawn per vertex, before mirroring")
  private int edgeFactor = 32;

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description =
          "a data set folder instead of an R-MAT graph; batches of its training vertices, of all without"
              + " a split")
  private @Nullable Path data;

  @Option(names = "--bulk", split = ",", description = "batches at a time; 0 is all")
  private int[] bulks = {1, 2, 4, 8, 16, 32, 0};

  @Option(names = "--batches", description = "batches that each measurement samples")
  private int batches = 64;

  @Option(names = "--batch", description = "training vertices of a batch; 0 for 512 or 1024")
  private int batchSize;

  @Option(names = "--threads", split = ",", description = "sizes of the team of threads")
  private int[] threads = {1};

  @Option(names = "--runs", description = "measurements of each bulk; the median counts")
  private int runs = 5;

  @Option(names = "--seed", description = "of the graph and the samples")
  private long seed = 1;

  @Option(names = "--sampler", description = "measure those whose name begins so")
  private String sampler = "";

  @Option(
      names = "--cpu-time",
      description =
          "count the processor time of a team of one instead of the clock's: for a machine that"
              + " others use too")
  private boolean cpuTime;

  @Option(names = "--json", description = "print one JSON document instead of the table")
  private boolean json;

  /// One sampler of the table.
  private record Subject(String name, Sampler sampler, int batchSize) {}

  private static final List<Subject> SUBJECTS =
      List.of(
          new Subject("SAGE (15, 10, 5)", Sampler.sage(15, 10, 5), 1024),
          new Subject("LADIES (512) x 3", Sampler.ladies(512, 512, 512), 512),
          new Subject("FastGCN (512) x 3", Sampler.fastGcn(512, 512, 512), 512),
          new Subject("SAINT nodes 8000", Sampler.saintNode(3, 8000), 512),
          new Subject("SAINT edges 4000", Sampler.saintEdge(3, 4000), 512),
          new Subject(
              "SAINT walks 3000 x 2", Sampler.saintWalk(3, 3000, 2).withOccurrences(1), 512));

  /// One line of the table. Edges are those of all layers; the layers of a subgraph share theirs.
  private record Line(
      String sampler,
      int threads,
      int bulk,
      long edgesPerBatch,
      double msPerBatch,
      double medgesPerSecond,
      long estimatedBytes,
      long peakBytes) {}

  /// What batches are drawn from.
  private static final class Graph {
    private final String name;
    private final CsrMatrix a;
    private final int[] training;

    Graph(String name, CsrMatrix a, int[] training) {
      this.name = name;
      this.a = a;
      this.training = training;
    }
  }

  private record Report(Machine machine, long rows, long nnz, int runs, List<Line> lines) {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new SamplingComparison()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    PrintStream out = System.out;
    try (Arena arena = Arena.ofShared()) {
      Graph graph = graph(arena);
      CsrMatrix a = graph.a;
      if (!json) {
        out.print(Machine.here().text());
        out.printf("matrix      %s %s, at most %d batches%n%n", graph.name, a, batches);
        out.printf(
            "%-21s %7s %5s %12s %12s %10s %13s %9s%n",
            "sampler",
            "threads",
            "k",
            "edges/batch",
            "ms/batch",
            "Medges/s",
            "estimated MiB",
            "peak MiB");
      }
      List<Line> lines = new ArrayList<>();
      for (int team : threads) {
        try (Workers workers = new Workers(team)) {
          for (Subject subject : SUBJECTS) {
            if (subject.name.startsWith(sampler)) {
              lines.addAll(measure(subject, graph, workers));
            }
          }
        }
      }
      if (json) {
        Report report = new Report(Machine.here(), a.rows(), a.nnz(), runs, lines);
        out.println(
            JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(report));
      } else {
        out.printf(
            "%nmedians of %d interleaved measurements; peak: of all bulks up to this one, beyond the"
                + " graph, with the Java heap and its garbage%n",
            runs);
      }
    }
    return 0;
  }

  private static void print(Line line, PrintStream out) {
    out.printf(
        "%-21s %7d %5d %12d %12.2f %10.1f %13d %9d%n",
        line.sampler,
        line.threads,
        line.bulk,
        line.edgesPerBatch,
        line.msPerBatch,
        line.medgesPerSecond,
        line.estimatedBytes >> 20,
        line.peakBytes >> 20);
  }

  private Graph graph(Arena arena) {
    if (data == null) {
      CsrMatrix a = RMat.normalised(arena, scale, edgeFactor, seed);
      return new Graph("R-MAT", a, IntStream.range(0, a.cols()).toArray());
    }
    try (GraphData d = DatasetFolder.open(data)) {
      CsrMatrix own = copied(arena, d.adjacency());
      CsrMatrix a =
          new Propagation(own, d.info().directed(), Normalisation.SYMMETRIC, true)
              .all(arena)
              .forward();
      int[] training = d.labelled(Split.TRAIN);
      int[] all = IntStream.range(0, d.vertices()).toArray();
      return new Graph(d.name(), a, training.length == 0 ? all : training);
    }
  }

  private static CsrMatrix copied(Arena arena, CsrMatrix a) {
    return CsrMatrix.wrap(
        a.rows(),
        a.cols(),
        arena.allocate(a.rowPointers().byteSize(), 64).copyFrom(a.rowPointers()),
        arena.allocate(a.columns().byteSize(), 64).copyFrom(a.columns()),
        null);
  }

  private List<Line> measure(Subject subject, Graph graph, Workers workers) {
    int size = batchSize == 0 ? subject.batchSize : batchSize;
    EpochBatches epoch = new EpochBatches(graph.training, size, seed, 0);
    int count = Math.min(batches, epoch.count());
    double[][] milliseconds = new double[bulks.length][runs];
    long[] peaks = new long[bulks.length];
    long edges = 0;
    BulkSampler bulk;
    try (PeakMemory peak = new PeakMemory()) {
      bulk =
          new BulkSampler(
              subject.sampler, AdjacencyRows.whole(graph.a), graph.training, seed, workers);
      for (int b = 0; b < bulks.length; b++) {
        edges = sample(bulk, epoch, count, atATime(b, count));
        peaks[b] = peak.addedBytes();
      }
    }
    for (int run = -1; run < runs; run++) {
      for (int b = 0; b < bulks.length; b++) {
        long start = now(workers);
        edges = sample(bulk, epoch, count, atATime(b, count));
        if (run >= 0) {
          milliseconds[b][run] = (now(workers) - start) / 1e6 / count;
        }
      }
    }
    List<Line> lines = new ArrayList<>();
    for (int b = 0; b < bulks.length; b++) {
      Arrays.sort(milliseconds[b]);
      double median = milliseconds[b][runs / 2];
      int k = atATime(b, count);
      long perBatch = edges / count;
      Line line =
          new Line(
              subject.name,
              workers.threads(),
              k,
              perBatch,
              median,
              perBatch / median / 1e3,
              bulk.bytes(k, size),
              peaks[b]);
      lines.add(line);
      if (!json) {
        print(line, System.out);
      }
    }
    return lines;
  }

  private int atATime(int b, int count) {
    return bulks[b] == 0 ? count : Math.min(bulks[b], count);
  }

  private long now(Workers workers) {
    return cpuTime && workers.threads() == 1
        ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
        : System.nanoTime();
  }

  /// @return entries of all blocks
  private static long sample(BulkSampler sampler, EpochBatches epoch, int count, int k) {
    long edges = 0;
    for (int from = 0; from < count; from += k) {
      int to = Math.min(count, from + k);
      try (Arena arena = Arena.ofShared()) {
        for (SampledBatch batch : sampler.sample(arena, 0, from, epoch.batches(from, to))) {
          edges +=
              batch.blocks().stream()
                  .distinct()
                  .map(SampledBlock::matrix)
                  .mapToLong(CsrMatrix::nnz)
                  .sum();
        }
      }
    }
    return edges;
  }
}
