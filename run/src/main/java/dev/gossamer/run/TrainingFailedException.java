package dev.gossamer.run;

/// A run with valid settings failed: the loss is not finite, or a rank died. The message is one
/// line.
public final class TrainingFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Creates an exception.
  ///
  /// @param message of one line
  public TrainingFailedException(String message) {
    super(message);
  }
}
