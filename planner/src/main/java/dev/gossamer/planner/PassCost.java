package dev.gossamer.planner;

import dev.gossamer.nn.clock.Phase;
import java.util.EnumMap;
import java.util.Map;

/// The cost of an evaluation, or the one-time cost of a training.
///
/// @param phases seconds of each phase on the slowest rank; a missing phase takes no time
/// @param traffic bytes and messages of the ranks
public record PassCost(Map<Phase, Double> phases, RankTraffic traffic) {
  /// Copies the phases.
  public PassCost {
    Map<Phase, Double> copy = new EnumMap<>(Phase.class);
    copy.putAll(phases);
    phases = Map.copyOf(copy);
  }

  /// {@return seconds of all phases}
  public double seconds() {
    return phases.values().stream().mapToDouble(Double::doubleValue).sum();
  }
}
