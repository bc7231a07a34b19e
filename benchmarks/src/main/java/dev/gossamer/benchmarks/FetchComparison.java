package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.feature.FetchCounts;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// What it takes to fetch the features of minibatches, by the size of the cache and by what it
/// keeps: the likely inputs of batches, vertices of high degree, or any.
@Command(name = "fetch", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class FetchComparison implements Callable<Integer> {
  /// What a cache goes by.
  private enum Ranking {
    PROBABILITY,
    DEGREE,
    RANDOM;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      required = true,
      description = "a data set folder with dense features")
  private Path data = Path.of("");

  @Option(names = "--ranks", split = ",", description = "ranks, as threads")
  private int[] ranks = {1, 2, 4};

  @Option(names = "--cache", split = ",", description = "sizes of the cache, per cent of X")
  private int[] cache = {0, 1, 5, 20};

  @Option(names = "--fanouts", split = ",", description = "of GraphSAGE, from the batch outwards")
  private int[] fanouts = {15, 10, 5};

  @Option(names = "--batch", description = "vertices of a batch")
  private int batchSize = 1024;

  @Option(names = "--batches", description = "batches that all ranks together fetch")
  private int batches = 32;

  @Option(names = "--seed", description = "of the samples")
  private long seed = 1;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new FetchComparison()).execute(arguments));
  }

  @Override
  public Integer call() {
    PrintStream out = System.out;
    try (GraphData d = DatasetFolder.open(data)) {
      if (!(d.features() instanceof Features.Dense dense)) {
        System.err.printf("fetch: %s: expected dense features, found others%n", data);
        return 2;
      }
      Sampler sampler = Sampler.sage(fanouts);
      int[] training = d.labelled(Split.TRAIN);
      int[][] inputs = inputs(d.adjacency(), sampler, training);
      out.print(Machine.here().text());
      out.printf(
          "features    %s of %s, %s, %d batches of %d: %d rows a batch%n",
          dense.x(),
          d.name(),
          sampler,
          inputs.length,
          batchSize,
          Arrays.stream(inputs).mapToLong(input -> input.length).sum() / inputs.length);
      Map<Ranking, double[]> accesses = new EnumMap<>(Ranking.class);
      for (Ranking ranking : Ranking.values()) {
        long start = System.nanoTime();
        accesses.put(ranking, accesses(d.adjacency(), sampler, training, ranking));
        out.printf(
            "ranking by %s takes %.1f s%n", ranking.label(), (System.nanoTime() - start) / 1e9);
      }
      out.printf(
          "%n%5s %7s %-12s %9s %12s %10s%n",
          "ranks", "cache %", "keeps", "hit rate", "MB/batch", "ms/batch");
      for (int size : ranks) {
        for (int share : size == 1 ? new int[] {0} : cache) {
          for (Map.Entry<Ranking, double[]> kept : accesses.entrySet()) {
            Ranking ranking = kept.getKey();
            if (share > 0 || ranking == Ranking.PROBABILITY) {
              FetchCounts counts = fetch(dense.x(), inputs, size, share, kept.getValue());
              out.printf(
                  "%5d %7d %-12s %8.1f%% %12.1f %10.1f%n",
                  size,
                  share,
                  share == 0 ? "nothing" : ranking.label(),
                  100 * counts.hitRate(),
                  counts.bytes() / 1e6 / inputs.length,
                  1e3 * counts.seconds() / inputs.length);
            }
          }
        }
      }
    }
    return 0;
  }

  /// The input vertices of the batches.
  private int[][] inputs(CsrMatrix a, Sampler sampler, int[] training) {
    EpochBatches epoch = new EpochBatches(training, batchSize, seed, 0);
    int[][] inputs = new int[Math.min(batches, epoch.count())][];
    try (Workers workers = new Workers(1)) {
      BulkSampler bulk = new BulkSampler(sampler, AdjacencyRows.whole(a), training, seed, workers);
      for (int b = 0; b < inputs.length; b++) {
        try (Arena arena = Arena.ofShared()) {
          SampledBatch batch = bulk.sample(arena, 0, b, epoch.batches(b, b + 1)).getFirst();
          inputs[b] = batch.inputs();
        }
      }
    }
    return inputs;
  }

  private double[] accesses(CsrMatrix a, Sampler sampler, int[] training, Ranking ranking) {
    return switch (ranking) {
      case PROBABILITY -> sampler.inputProbabilities(AdjacencyRows.whole(a), training, batchSize);
      case DEGREE -> IntStream.range(0, a.cols()).mapToDouble(a::rowLength).toArray();
      case RANDOM -> new SplittableRandom(seed).doubles(a.cols()).toArray();
    };
  }

  /// Batches go to the ranks in turn; the counts are the sums of all ranks.
  private static FetchCounts fetch(
      DenseMatrix x, int[][] inputs, int size, int share, double[] accesses) {
    FetchCounts[] counts = new FetchCounts[size];
    long cacheBytes = x.data().byteSize() * share / 100;
    RowDistribution distribution = RowDistribution.even((int) x.rows(), size);
    ThreadRanks.run(
        size,
        world -> {
          try (ProcessGrid grid = new ProcessGrid(world, 1);
              Workers workers = new Workers(1);
              FeatureSource source = source(x, grid, distribution, accesses, cacheBytes, workers);
              FetchedRows rows = new FetchedRows()) {
            // The first round brings memory and pages; the second is counted.
            fetchAll(world, source, inputs, rows, workers);
            FetchCounts before = source.counts();
            fetchAll(world, source, inputs, rows, workers);
            counts[world.rank()] = source.counts().minus(before);
          }
        });
    return Arrays.stream(counts).reduce(FetchCounts.NONE, FetchCounts::plus);
  }

  private static FeatureSource source(
      DenseMatrix x,
      ProcessGrid grid,
      RowDistribution distribution,
      double[] accesses,
      long cacheBytes,
      Workers workers) {
    if (grid.blocks() == 1) {
      return FeatureSource.whole(new Features.Dense(x));
    }
    DenseMatrix own = x.rows(distribution.begin(grid.row()), distribution.end(grid.row()));
    return FeatureSource.partitioned(
        grid,
        distribution,
        new Features.Dense(own),
        RowFormat.FLOAT32,
        accesses,
        cacheBytes,
        workers);
  }

  private static void fetchAll(
      Communicator world, FeatureSource source, int[][] inputs, FetchedRows rows, Workers workers) {
    for (int b = 0; b < inputs.length; b += world.size()) {
      int mine = b + world.rank();
      source.fetch(mine < inputs.length ? inputs[mine] : new int[0], rows, workers);
    }
  }
}
