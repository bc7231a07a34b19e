package dev.gossamer.gnn.feature;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.run.memory.SystemMemory;
import java.util.Arrays;
import java.util.function.IntToLongFunction;

/// Where the feature rows of minibatches come from: `X_S`, the rows of `X` (`n x f`) of the input
/// vertices `S` of a batch (MBS, section 6.2).
///
/// Dense features give dense rows and sparse ones sparse rows, always with the same bits wherever
/// the rows were; but if dense rows of other ranks travel in a [RowFormat] of fewer bits, those are
/// rounded to it, whether they come or are in a cache. Sparse rows travel as they are. One fetch at
/// a time. All methods may be collective, so that all ranks call them in the same order; a rank
/// that has no batch fetches no vertices.
public interface FeatureSource extends AutoCloseable {
  /// {@return features that this rank holds whole: in memory or in a mapped file, which may be
  /// larger than the memory} Its fetches are local.
  ///
  /// @param x borrowed
  /// @throws IllegalArgumentException if there are no features
  static FeatureSource whole(Features x) {
    return new WholeFeatures(x, SystemMemory.total().orElse(Long.MAX_VALUE));
  }

  /// Features that are spread over the ranks of a grid: process row `i` holds block `i`, and what a
  /// rank wants of other blocks comes from its process column; a single block is [#whole]. All
  /// ranks of a process column fetch equally often; between fetches and during them they may use
  /// the grid's groups. Collective.
  ///
  /// @param grid borrowed
  /// @param distribution of the rows of `X` over process rows
  /// @param own this rank's rows, of the same width on all ranks, and dense or sparse on all; if
  ///   they are in a mapped file, it should fit into memory; borrowed
  /// @param wire of dense rows that travel
  /// @return a source of all rows
  /// @throws IllegalArgumentException if there are no features or the shape does not fit
  static FeatureSource partitioned(
      ProcessGrid grid, RowDistribution distribution, Features own, RowFormat wire) {
    PartitionedFeatures.check(grid, distribution, own);
    return grid.blocks() == 1 ? whole(own) : new PartitionedFeatures(grid, distribution, own, wire);
  }

  /// As [#partitioned(ProcessGrid, RowDistribution, Features, RowFormat)], with a cache of rows of
  /// other ranks, which is filled once, here. Collective.
  ///
  /// @param grid process rows hold blocks, process columns fetch
  /// @param distribution which rows of the graph each rank has
  /// @param own this rank's block of rows
  /// @param wire in which rows travel
  /// @param accesses how often this rank's batches will want each vertex, or anything proportional
  ///   to it, such as [dev.gossamer.gnn.sampling.Sampler#inputProbabilities]; may differ between
  ///   ranks; borrowed
  /// @param cacheBytes that the cache may take on this rank, in which dense rows are as they have
  ///   travelled; about three times as much while it is filled
  /// @param workers the threads that copy what fills it
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

  /// {@return the rows that the cache of a rank keeps, ascending, before there is one} What
  /// [#partitioned(ProcessGrid, RowDistribution, Features, RowFormat, double[], long, Workers)]
  /// would choose.
  ///
  /// @param block of the rank
  /// @param distribution which rows each rank has
  /// @param rowLength entries of each row of sparse features, by the distribution's numbers
  /// @param all features, of which kind and width count
  /// @param wire in which dense rows travel
  /// @param accesses how often the rank's batches will want each vertex
  /// @param cacheBytes that the cache may take
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
  /// @param into what [FetchedRows#features] of it gave before is overwritten by one row for each
  ///   vertex, in their order
  /// @param workers the threads that copy
  /// @throws IndexOutOfBoundsException if there is no such vertex
  void fetch(int[] vertices, FetchedRows into, Workers workers);

  /// {@return what all fetches so far have moved} Call it only while no fetch is running.
  FetchCounts counts();

  /// {@return bytes that the rows of a batch take at most, with what is there while they are
  /// fetched, before they exist}
  ///
  /// @param rows most vertices of a batch
  long bytes(long rows);

  /// Gives back the memory that fetches keep from one to the next, and no groups of ranks: for a
  /// rank that fails alone. Local.
  default void free() {}

  /// Gives back what fetches keep from one to the next. Collective if they are.
  @Override
  void close();
}
