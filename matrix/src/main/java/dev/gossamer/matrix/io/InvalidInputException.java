package dev.gossamer.matrix.io;

/// Something that the user gave (a file, a flag, a configuration) is not usable.
///
/// The message is one line that names the file or flag, the place in it, what was expected, what
/// was found and, where there is one, the remedy: `cora/labels.npy: element 17: expected a class in
/// 0..6, found 9`. The command line prints it without a stack trace and exits with status 2.
public final class InvalidInputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// @param message one line as described above
  public InvalidInputException(String message) {
    super(message);
  }

  /// @param message one line as described above
  /// @param cause what a `--stacktrace` shows beside it
  public InvalidInputException(String message, Throwable cause) {
    super(message, cause);
  }
}
