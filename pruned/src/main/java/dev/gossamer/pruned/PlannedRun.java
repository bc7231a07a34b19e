package dev.gossamer.pruned;

import dev.gossamer.pruned.pipeline.Grid;
import dev.gossamer.pruned.pipeline.IterationForecast;
import dev.gossamer.pruned.pipeline.IterationTraffic;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.List;

/// A way to train a network, and what it would cost.
///
/// @param compute what becomes of the network, and what multiplies
/// @param place where its ranks are
/// @param stages of the network, before it is pruned
/// @param stateBytes of parameters, gradients and moments of all of the network
/// @param unpruned iterations before the network is pruned; those of a network that never is, or is
///   before the first, are [#last]
/// @param last iterations that the run ends with
/// @param peakBytes of the rank that needs most, over the whole run: when a network is pruned, both
///   states are in memory
/// @param checkpointedBytes of activations that the same rank ends with, if they were computed
///   again
/// @param exact whether what survives, and so what is sent, is known before the run
public record PlannedRun(
    Compute compute,
    RankPlace place,
    List<StagePart> stages,
    StateBytes stateBytes,
    Iterations unpruned,
    Iterations last,
    long peakBytes,
    long checkpointedBytes,
    boolean exact) {
  /// What becomes of a network, and what multiplies.
  public enum Compute {
    /// All parameters are kept.
    DENSE,
    /// Dense products with zeros for pruned weights; everything else is kept only for surviving
    /// weights (SAMO, section III).
    COMPRESSED,
    /// Sparse products of all matrices that lose elements.
    SPARSE,
    /// Sparse products where they are faster, dense ones elsewhere.
    MIXED,
    /// Whole units are removed, and dense products are smaller.
    SMALLER
  }

  /// Bytes of parameters, gradients and moments of a network.
  ///
  /// @param unpruned with all parameters
  /// @param last in the end
  public record StateBytes(long unpruned, long last) {}

  /// Iterations that cost the same.
  ///
  /// @param memory of the rank that needs most
  /// @param seconds of one
  /// @param traffic of one
  public record Iterations(
      MemoryEstimate memory, IterationForecast seconds, IterationTraffic traffic) {}

  /// Copies the collection.
  public PlannedRun {
    stages = List.copyOf(stages);
  }

  /// {@return stages and replicas}
  public Grid grid() {
    return stages.getFirst().settings().grid();
  }

  /// {@return whether the whole run stays within the memory of its ranks}
  public boolean fits() {
    return peakBytes <= place.memory();
  }

  /// {@return whether what the run ends with does}
  public boolean fitsInTheEnd() {
    return last.memory().bytes() <= place.memory();
  }

  /// {@return seconds of an iteration that the run ends with}
  public double seconds() {
    return last.seconds().seconds();
  }

  /// {@return bytes of activations in flight in the end, of the rank that needs most}
  public long activationBytes() {
    return last.memory().bytes(StagePart.ACTIVATIONS);
  }

  /// {@return whether activations are more than half of what a rank ends with, and could be
  /// computed again instead}
  public boolean isMostlyActivations() {
    return 2 * activationBytes() > last.memory().bytes() && checkpointedBytes < activationBytes();
  }
}
