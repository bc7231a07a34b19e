package dev.gossamer.gnn.feature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.format.RowFormat;
import java.util.Arrays;
import java.util.List;

/// Fetches of many ranks, compared with the rows that one rank has, by threads and under MPI.
final class RankFetches {
  private static final int N = 400;
  private static final int BATCHES = 5;

  private RankFetches() {}

  /// One kind of fetch.
  ///
  /// @param cacheBytes less than 0 for none
  record Case(Features x, int replication, boolean ahead, long cacheBytes, RowFormat wire) {
    Case(Features x, int replication, boolean ahead, long cacheBytes) {
      this(x, replication, ahead, cacheBytes, RowFormat.FLOAT32);
    }
  }

  static List<Case> cases(int replication) {
    return List.of(
        new Case(Rows.dense(N, 19), replication, false, -1),
        new Case(Rows.dense(N, 19), replication, true, -1),
        new Case(Rows.dense(N, 19), replication, true, 6000),
        new Case(Rows.dense(N, 19), replication, false, -1, RowFormat.BF16),
        new Case(Rows.dense(N, 19), replication, true, 3000, RowFormat.BF16),
        new Case(Rows.sparse(N, 30, true), replication, true, -1),
        new Case(Rows.sparse(N, 30, true), replication, false, 3000),
        new Case(Rows.sparse(N, 30, false), replication, true, 3000));
  }

  /// Fewer, as ranks that are processes take turns on few cores.
  static List<Case> mpiCases(int replication) {
    return List.of(
        new Case(Rows.dense(N, 19), replication, true, 6000),
        new Case(Rows.sparse(N, 30, true), replication, true, -1));
  }

  /// A first block of a quarter, an empty second one if there are more than two, and the rest.
  static RowDistribution distribution(int blocks) {
    int[] counts = new int[blocks];
    counts[0] = blocks == 1 ? N : N / 4;
    for (int i = blocks == 2 ? 1 : 2, left = N - counts[0]; i < blocks; i++) {
      counts[i] = i == blocks - 1 ? left : left / (blocks - i);
      left -= counts[i];
    }
    return RowDistribution.ofCounts(counts);
  }

  /// What a rank wants: nothing at times, and else something else than others.
  private static int[] batch(int rank, int b) {
    return (rank + b) % 4 == 3
        ? new int[0]
        : Rows.batch(N, 30 + 50 * ((rank + b) % 3), 7L * rank + b);
  }

  /// Low numbers are wanted most, and every fifth never.
  private static double[] accesses() {
    double[] accesses = new double[N];
    Arrays.setAll(accesses, v -> v % 5 == 0 ? 0 : 1.0 / (v + 1));
    return accesses;
  }

  static void requireEqual(Communicator world, Case what) {
    try (ProcessGrid grid = new ProcessGrid(world, what.replication());
        Workers workers = new Workers(1);
        FeatureSource source = source(grid, what, workers);
        FeatureFetch fetch =
            what.ahead() ? FeatureFetch.ahead(source) : FeatureFetch.inTurn(source, workers)) {
      RowDistribution d = distribution(grid.blocks());
      Features expected =
          Rows.travelled(what.x(), what.wire(), d.begin(grid.row()), d.end(grid.row()));
      long rows = 0;
      fetch.begin(batch(world.rank(), 0));
      for (int b = 0; b < BATCHES; b++) {
        Features got = fetch.finish();
        if (b + 1 < BATCHES) {
          fetch.begin(batch(world.rank(), b + 1));
        }
        // Others use the grid's groups while rows come.
        grid.processColumn().barrier();
        int[] vertices = batch(world.rank(), b);
        Rows.requireRows(expected, vertices, got);
        rows += vertices.length;
      }
      FetchCounts counts = source.counts();
      assertThat(counts.rows()).isEqualTo(rows);
      assertThat(counts.cached() > 0).isEqualTo(what.cacheBytes() > 0 && grid.blocks() > 1);
      assertThat(counts.fetched() > 0).isEqualTo(grid.blocks() > 1);
    }
  }

  static FeatureSource source(ProcessGrid grid, Case what, Workers workers) {
    RowDistribution d = distribution(grid.blocks());
    Features own = Rows.block(what.x(), d.begin(grid.row()), d.end(grid.row()));
    return what.cacheBytes() < 0
        ? FeatureSource.partitioned(grid, d, own, what.wire())
        : FeatureSource.partitioned(
            grid, d, own, what.wire(), accesses(), what.cacheBytes(), workers);
  }
}
