package dev.gossamer.pruned;

import dev.gossamer.pruned.pipeline.IterationForecast;
import dev.gossamer.pruned.pipeline.IterationTraffic;
import dev.gossamer.pruned.pipeline.RankGrid;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.List;

/// A strategy for training a network, and its predicted cost.
///
/// @param compute how the network is pruned and multiplied
/// @param place the placement of its ranks
/// @param stages of the network, before it is pruned
/// @param stateBytes of parameters, gradients and moments of the whole network
/// @param unpruned iterations before pruning; equal to [#last] if the network is never pruned, or
///   pruned before the first iteration
/// @param last iterations at the end of the run
/// @param peakBytes of the rank that needs the most, over the whole run: when a network is pruned,
///   both states are in memory
/// @param checkpointedBytes of activations of the same rank at the end, if they were recomputed
/// @param exact whether the surviving weights, and so the traffic, are known before the run
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
  /// How a network is pruned and multiplied.
  public enum Compute {
    /// Dense products; nothing is pruned.
    DENSE,
    /// Dense products with zeros for pruned weights; everything else is kept only for surviving
    /// weights (SAMO, section III).
    COMPRESSED,
    /// Sparse products for all matrices that lose elements.
    SPARSE,
    /// Sparse products where they are faster, dense ones elsewhere.
    MIXED,
    /// Entire units are removed, and dense products are smaller.
    SMALLER
  }

  /// Bytes of parameters, gradients and moments of a network.
  ///
  /// @param unpruned with all parameters
  /// @param last at the end of the run
  public record StateBytes(long unpruned, long last) {}

  /// Iterations of equal cost.
  ///
  /// @param memory of the rank that needs the most
  /// @param seconds of one iteration
  /// @param traffic of one iteration
  public record Iterations(
      MemoryEstimate memory, IterationForecast seconds, IterationTraffic traffic) {}

  /// Copies the list.
  public PlannedRun {
    stages = List.copyOf(stages);
  }

  /// {@return the grid of stages and replicas}
  public RankGrid grid() {
    return stages.getFirst().settings().grid();
  }

  /// {@return whether the whole run fits into the memory of its ranks}
  public boolean fits() {
    return peakBytes <= place.memory();
  }

  /// {@return whether the end of the run fits into the memory of its ranks}
  public boolean fitsInTheEnd() {
    return last.memory().bytes() <= place.memory();
  }

  /// {@return the seconds of an iteration at the end of the run}
  public double seconds() {
    return last.seconds().seconds();
  }

  /// {@return the bytes of activations in flight at the end, of the rank that needs the most}
  public long activationBytes() {
    return last.memory().bytes(StagePart.ACTIVATIONS);
  }

  /// {@return whether activations are more than half of a rank's memory at the end and could be
  /// recomputed instead}
  public boolean isMostlyActivations() {
    return 2 * activationBytes() > last.memory().bytes() && checkpointedBytes < activationBytes();
  }
}
