package dev.gossamer;

import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Evaluation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The result of a training.
///
/// @param model with the weights of the best validation epoch; if the training was interrupted,
///   with those of the last
/// @param evaluation of the model, on all parts of the data
/// @param majority the score of always predicting the commonest class; null if no classes are
///   predicted
/// @param end how it ended
/// @param records of the epochs that this process has trained, without those before a resume
/// @param facts measurements of ranks or minibatches; null on all processes but the first
public record TrainingResult(
    GraphModel model,
    Evaluation evaluation,
    @Nullable MajorityClass majority,
    End end,
    List<EpochRecord> records,
    @Nullable TrainingFacts facts) {
  /// How a training ended.
  ///
  /// @param epochs done, including those before a resume
  /// @param bestEpoch 1-based number of the epoch whose weights the model has; 0 if none was
  ///   evaluated
  /// @param interrupted whether it was asked to stop; then a checkpoint was written, if it has a
  ///   folder
  public record End(int epochs, int bestEpoch, boolean interrupted) {}

  /// Copies the list.
  public TrainingResult {
    records = List.copyOf(records);
  }
}
