package dev.gossamer.gnn.feature;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.run.memory.SystemMemory;
import java.util.Arrays;
import java.util.function.IntToLongFunction;

/// The source of the feature rows of minibatches: `X_S`, the rows of `X` (`n x f`) of the input
/// vertices `S` of a batch (MBS, section 6.2).
///
/// Dense features give dense rows and sparse ones sparse rows, bit-identical wherever the rows are
/// stored. Exception: remote dense rows are rounded to the [RowFormat] of messages, also in a
/// cache. Sparse rows are sent unchanged. One fetch at a time. All methods may be collective: all
/// ranks call them in the same order, and a rank without a batch fetches no vertices.
public interface FeatureSource extends AutoCloseable {
  /// {@return a source of features that this rank holds whole: in memory or in a mapped file, which
  /// may be larger than the memory} Fetches are local.
  ///
  /// @param x borrowed
  /// @throws IllegalArgumentException if there are no features
  static FeatureSource whole(Features x) {
    return new WholeFeatures(x, SystemMemory.total().orElse(Long.MAX_VALUE));
  }

  /// Returns a source of features that are distributed over the ranks of a grid: process row `i`
  /// holds block `i`, and rows of other blocks come from the process column. A single block is
  /// [#whole]. All ranks of a process column make the same number of fetches; they may use the
  /// grid's groups at any time. Collective.
  ///
  /// @param grid borrowed
  /// @param distribution of the rows of `X` over process rows
  /// @param own this rank's rows, of the same width on all ranks, and dense or sparse on all; a
  ///   mapped file should fit into memory; borrowed
  /// @param wire message format of dense rows
  /// @return a source of all rows
  /// @throws IllegalArgumentException if there are no features or the shape does not fit
  static FeatureSource partitioned(
      ProcessGrid grid, RowDistribution distribution, Features own, RowFormat wire) {
    PartitionedFeatures.check(grid, distribution, own);
    return grid.blocks() == 1 ? whole(own) : new PartitionedFeatures(grid, distribution, own, wire);
  }

  /// Returns the same source with a cache of remote rows, which this method fills. Collective.
  ///
  /// @param grid process rows hold blocks, process columns fetch
  /// @param distribution of the rows of `X` over process rows
  /// @param own this rank's block of rows
  /// @param wire message format of dense rows, also in the cache
  /// @param accesses expected accesses of this rank's batches to each vertex, up to a factor, such
  ///   as [dev.gossamer.gnn.sampling.Sampler#inputProbabilities]; may differ between ranks;
  ///   borrowed
  /// @param cacheBytes maximum size of the cache on this rank; filling it needs about three times
  ///   as much
  /// @param workers threads that fill it
  /// @return a source of all rows
  static FeatureSource partitioned(
      ProcessGrid grid,
      RowDistribution distribution,
      Features own,
      RowFormat wire,
      double[] accesses,
      long cacheBytes,
      Workers workers) {
    PartitionedFeatures features = new PartitionedFeatures(grid, distribution, own, wire);
    try {
      features.keep(accesses, cacheBytes, workers);
    } catch (Throwable e) {
      features.free();
      throw e;
    }
    return features;
  }

  /// {@return the rows, ascending, that [#partitioned(ProcessGrid, RowDistribution, Features,
  /// RowFormat, double[], long, Workers)] would cache}
  ///
  /// @param block of the rank
  /// @param distribution which rows each rank has
  /// @param rowLength entries of each row of sparse features, by the distribution's numbers
  /// @param all features, of which only kind and width are used
  /// @param wire message format of dense rows
  /// @param accesses expected accesses of the rank's batches to each vertex
  /// @param cacheBytes maximum size of the cache
  static int[] cached(
      int block,
      RowDistribution distribution,
      IntToLongFunction rowLength,
      Features all,
      RowFormat wire,
      double[] accesses,
      long cacheBytes) {
    int[] lengths = new int[distribution.rows()];
    long[] rowBytes = new long[lengths.length];
    if (all instanceof Features.Sparse sparse) {
      Arrays.setAll(lengths, v -> (int) rowLength.applyAsLong(v));
      rowBytes = FeatureCache.rowBytes(sparse, lengths);
    } else {
      Arrays.fill(rowBytes, Integer.BYTES + wire.bytes(1, all.width()));
    }
    return FeatureCache.choose(
        distribution.begin(block), distribution.end(block), rowBytes, accesses, cacheBytes);
  }

  /// {@return `f`, the features of a vertex}
  int width();

  /// Fetches the rows of some vertices.
  ///
  /// @param vertices distinct rows of `X`, in any order; borrowed
  /// @param into receives one row per vertex, in their order; its earlier rows are overwritten
  /// @param workers threads that copy
  /// @throws IndexOutOfBoundsException if there is no such vertex
  void fetch(int[] vertices, FetchedRows into, Workers workers);

  /// {@return counts of all fetches so far} Call it only while no fetch is running.
  FetchCounts counts();

  /// {@return upper bound of the bytes of a batch's rows, including temporary memory while they are
  /// fetched}
  ///
  /// @param rows maximum vertices of a batch
  long bytes(long rows);

  /// Frees the memory that fetches reuse, but no groups of ranks: for a rank that fails alone.
  /// Local.
  default void free() {}

  /// Frees everything that fetches reuse. Collective if they are.
  @Override
  void close();
}
