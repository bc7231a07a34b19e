package dev.gossamer.base;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/// Input of the user (a file, a flag, a configuration) is invalid.
///
/// The message is one line with the file or flag, the position in it, the expected and the found
/// content and, if there is one, the remedy: `cora/labels.npy: element 17: expected a class in
/// 0..6, found 9`. The command line prints it without a stack trace and exits with status 2.
/// Messages of more than [Excerpt#LONGEST] characters are shortened to their beginning and end.
public class InvalidInputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Creates an exception without a cause.
  ///
  /// @param message one line as described above
  public InvalidInputException(String message) {
    super(oneLine(message));
  }

  /// Creates an exception with a cause.
  ///
  /// @param message one line as described above
  /// @param cause shown with `--stacktrace`
  public InvalidInputException(String message, Throwable cause) {
    super(oneLine(message), cause);
  }

  /// Returns the exception for a file or folder that cannot be read: missing, not permitted,
  /// damaged storage.
  ///
  /// @param file that was requested
  /// @param cause the system's error
  /// @return the exception to throw
  public static InvalidInputException unreadable(Path file, IOException cause) {
    return new InvalidInputException("%s: cannot read: %s".formatted(file, reason(cause)), cause);
  }

  /// Returns the exception for a file or folder that cannot be written: disk full, not permitted.
  ///
  /// @param file to write
  /// @param cause the system's error
  /// @return the exception to throw
  public static InvalidInputException unwritable(Path file, IOException cause) {
    return new InvalidInputException("%s: cannot write: %s".formatted(file, reason(cause)), cause);
  }

  private static String reason(IOException cause) {
    return switch (cause) {
      case NoSuchFileException e -> "no such file or folder: " + e.getFile();
      case AccessDeniedException e -> "permission denied: " + e.getFile();
      case FileAlreadyExistsException e -> "already there: " + e.getFile();
      case NotDirectoryException e -> "not a folder: " + e.getFile();
      case CharacterCodingException e -> "expected UTF-8 text, found other bytes";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    };
  }

  /// What was found can hold line breaks and other control characters; the message does not.
  private static String oneLine(String message) {
    StringBuilder line = new StringBuilder(Excerpt.LONGEST);
    Excerpt.of(message)
        .codePoints()
        .forEach(c -> line.appendCodePoint(Character.isISOControl(c) || c == 0x2028 ? ' ' : c));
    return line.toString();
  }
}
