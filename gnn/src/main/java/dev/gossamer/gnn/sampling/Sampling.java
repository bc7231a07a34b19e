package dev.gossamer.gnn.sampling;

import dev.gossamer.base.trace.Timeline;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.Boundary;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import java.lang.foreign.Arena;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A [Sampler] that is bound to a graph, drawing one bulk at a time.
@FunctionalInterface
public interface Sampling {
  /// Draws a bulk of batches. The sample of a batch depends only on seed, epoch and its number, not
  /// on threads, bulks or ranks. Collective if the graph is distributed.
  ///
  /// @param arena shared, owner of the matrices of all batches
  /// @param epoch of the run
  /// @param numbers of the batches in their epoch
  /// @param batches the vertices of each batch, distinct; for subgraphs only their number counts;
  ///   empty if other ranks have more bulks
  /// @param boundary where the batches end early; null if they do not
  /// @return one for each, in order
  List<SampledBatch> sample(
      Arena arena,
      long epoch,
      BatchNumbers numbers,
      List<int[]> batches,
      @Nullable Boundary boundary);

  /// Records the steps of drawing on a timeline from now on.
  ///
  /// @param timeline of the rank
  default void drawOn(Timeline timeline) {}

  /// {@return breakdown of the time so far}
  default SamplingSeconds seconds() {
    return SamplingSeconds.NONE;
  }
}
