package dev.gossamer.feature;

import dev.gossamer.graph.Features;
import dev.gossamer.matrix.Workers;

/// Where the feature rows of minibatches come from: `X_S`, the rows of `X` (`n x f`) of the input
/// vertices `S` of a batch (MBS, section 6.2).
///
/// Dense features give dense rows and sparse ones sparse rows, always with the same bits wherever
/// the rows were. One fetch at a time. All methods may be collective, so that all ranks call them
/// in the same order; a rank that has no batch fetches no vertices.
public interface FeatureSource extends AutoCloseable {
  /// Features that this rank holds whole: in memory or in a mapped file, which may be larger than
  /// the memory. Its fetches are local.
  ///
  /// @param x borrowed
  /// @throws IllegalArgumentException if there are no features
  static FeatureSource whole(Features x) {
    return new WholeFeatures(x);
  }

  /// `f`.
  int width();

  /// Fetches the rows of some vertices.
  ///
  /// @param vertices distinct rows of `X`, in any order; borrowed
  /// @param into what [FeatureRows#features] of it gave before is overwritten by one row for each
  ///   vertex, in their order
  /// @param workers the threads that copy
  /// @throws IndexOutOfBoundsException if there is no such vertex
  void fetch(int[] vertices, FeatureRows into, Workers workers);

  /// What all fetches so far have moved. May be asked while no fetch goes on.
  FetchCounts counts();

  /// Bytes that the rows of a batch take at most, with what is there while they are fetched, before
  /// they exist.
  ///
  /// @param rows most vertices of a batch
  long bytes(long rows);

  /// Gives back what fetches keep from one to the next. Collective if they are.
  @Override
  void close();
}
