package dev.gossamer.planner;

import dev.gossamer.nn.clock.Phase;
import java.util.EnumMap;
import java.util.Map;

/// The cost of an epoch.
///
/// @param steps optimizer steps
/// @param phases seconds of each phase on the slowest rank
/// @param traffic bytes and messages of the ranks
/// @param count accuracy of bytes and messages
/// @param drawn share of the epoch's batches that was drawn to count them; 1 for a whole graph
public record EpochCost(
    int steps, Map<Phase, Double> phases, RankTraffic traffic, Count count, double drawn) {
  /// Accuracy of bytes and messages, compared with those that a run counts.
  public enum Count {
    /// Equal to the byte: for a whole graph, and where all batches of an epoch were drawn.
    EXACT,
    /// Extrapolated from the drawn batches to those of an epoch.
    DRAWN,
    /// An upper bound of what historical embeddings push, as if each copy were replaced whenever
    /// possible and there were no misses.
    AT_MOST,
    /// A lower bound of a training on edges: without the rows by which vertices are compared, as
    /// the pairs of an epoch are drawn in it.
    AT_LEAST
  }

  /// Copies the phases.
  public EpochCost {
    Map<Phase, Double> copy = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      copy.put(phase, phases.getOrDefault(phase, 0.0));
    }
    phases = Map.copyOf(copy);
  }

  /// {@return seconds of the epoch: the sum of its phases, each on the slowest rank}
  public double seconds() {
    return phases.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /// {@return seconds of a phase}
  ///
  /// @param phase any
  public double seconds(Phase phase) {
    return phases.getOrDefault(phase, 0.0);
  }
}
