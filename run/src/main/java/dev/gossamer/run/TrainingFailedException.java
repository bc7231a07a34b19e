package dev.gossamer.run;

/// A run that was well set up went wrong: the loss is no number any more, a rank died. The message
/// is one line.
public final class TrainingFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Says why.
  ///
  /// @param message of one line
  public TrainingFailedException(String message) {
    super(message);
  }
}
