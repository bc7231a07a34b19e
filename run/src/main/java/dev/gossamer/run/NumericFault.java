package dev.gossamer.run;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Where the numbers of a training ceased to be finite: in what a layer computes, or in weights
/// that a step has left.
///
/// @param layer its number, from 1
/// @param ofWeights whether a step has spoiled its weights; else it is the first layer with an
///   output that is not finite, of weights that are
public record NumericFault(int layer, boolean ofWeights) {
  /// {@return the fault of the ranks that train together: what was computed first, where one has
  /// seen that, since a step with it spoils the weights of all} Collective.
  ///
  /// @param team of the ranks
  /// @param own what this rank has seen; null if nothing
  public static Optional<NumericFault> first(Team team, @Nullable NumericFault own) {
    double none = Double.NEGATIVE_INFINITY;
    double[] all =
        team.max(
            own == null || own.ofWeights ? none : -own.layer,
            own == null || !own.ofWeights ? none : own.layer);
    if (all[0] > none) {
      return Optional.of(new NumericFault((int) -all[0], false));
    }
    return all[1] > none ? Optional.of(new NumericFault((int) all[1], true)) : Optional.empty();
  }

  /// {@return it in words}
  @Override
  public String toString() {
    return (ofWeights
            ? "the step before has left weights of layer %d that are not finite"
            : "the output of layer %d is the first that is not finite")
        .formatted(layer);
  }
}
