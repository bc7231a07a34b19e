package dev.gossamer.base;

/// A training with valid settings failed on all of its ranks alike: its numbers ceased to be
/// finite, or it was stopped before there was a model.
///
/// The message is one line: `epoch 4: the loss is NaN, and the output of layer 2 is the first that
/// is not finite; lower the learning rate; the last checkpoint is of epoch 3`. The command line
/// prints it without a stack trace and exits with status 3: the same command would come to the same
/// end.
public final class TrainingFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Creates an exception.
  ///
  /// @param message of one line
  public TrainingFailedException(String message) {
    super(message);
  }
}
