package dev.gossamer.run;

import dev.gossamer.nn.clock.Phase;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One line of `metrics.jsonl`.
///
/// @param epoch 1-based
/// @param loss mean training loss of the epoch's forward pass
/// @param learningRate of the epoch
/// @param seconds wall clock of training, without evaluation
/// @param costs of training, without evaluation
/// @param evaluation scores after the step, or null if this epoch was not evaluated
public record EpochRecord(
    int epoch,
    double loss,
    double learningRate,
    double seconds,
    EpochCosts costs,
    @Nullable Evaluation evaluation) {

  /// {@return seconds by phase, each the largest of all ranks}
  public Map<Phase, Double> phases() {
    return costs.phases();
  }
}
