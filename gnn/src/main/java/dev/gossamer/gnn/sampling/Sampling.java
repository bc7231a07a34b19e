package dev.gossamer.gnn.sampling;

import dev.gossamer.base.trace.Timeline;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.Boundary;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import java.lang.foreign.Arena;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A [Sampler] that is bound to a graph: it draws, one bulk at a time.
@FunctionalInterface
public interface Sampling {
  /// Draws a bulk of batches. What is drawn for a batch depends on seed, epoch and the batch's
  /// number alone, so that threads, bulks and ranks change nothing. Collective if the graph is
  /// spread over ranks.
  ///
  /// @param arena shared, owner of the matrices of all batches
  /// @param epoch of the run
  /// @param numbers of the batches in their epoch
  /// @param batches the vertices of each batch, distinct; for subgraphs only their number counts;
  ///   none if others have more bulks
  /// @param boundary where the batches end before their layers do; null if they do not
  /// @return one for each, in order
  List<SampledBatch> sample(
      Arena arena,
      long epoch,
      BatchNumbers numbers,
      List<int[]> batches,
      @Nullable Boundary boundary);

  /// Draws the steps of drawing on a timeline from now on.
  ///
  /// @param timeline of the rank
  default void drawOn(Timeline timeline) {}

  /// {@return where the time went so far}
  default SamplingSeconds seconds() {
    return SamplingSeconds.NONE;
  }
}
