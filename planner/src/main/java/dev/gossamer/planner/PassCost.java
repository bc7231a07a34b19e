package dev.gossamer.planner;

import dev.gossamer.nn.clock.Phase;
import java.util.EnumMap;
import java.util.Map;

/// What something beside the epochs of a training costs: an evaluation, or what happens once.
///
/// @param phases seconds of each phase, of the slowest rank; a phase that is missing takes none
/// @param traffic what ranks send
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
