package dev.gossamer.run;

import dev.gossamer.nn.optimizer.LearningRate;

/// The number of epochs, and what happens between them.
///
/// @param epochs maximum number of epochs
/// @param selectBy the validation score by which the weights of the best epoch are kept
/// @param patience stop at the first evaluation that is this many epochs or more after that of the
///   best score; 0 for never
/// @param evaluateEvery epochs between two evaluations; the last epoch is always evaluated
/// @param checkpointEvery epochs between two checkpoints; 0 for checkpoints only at an interruption
/// @param learningRate learning rate of each epoch
public record LoopSettings(
    int epochs,
    Metric selectBy,
    int patience,
    int evaluateEvery,
    int checkpointEvery,
    LearningRate learningRate) {
  /// Checks the numbers.
  public LoopSettings {
    require("epochs", epochs, 1);
    require("patience", patience, 0);
    require("evaluate-every", evaluateEvery, 1);
    require("checkpoint-every", checkpointEvery, 0);
  }

  private static void require(String name, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(
          "%s: expected at least %d, found %d".formatted(name, least, value));
    }
  }
}
