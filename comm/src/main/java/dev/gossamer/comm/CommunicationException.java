package dev.gossamer.comm;

/// An operation between ranks failed on this rank: ranks disagree about it, it took longer than
/// allowed, or the MPI library reported an error. The message names the ranks.
public final class CommunicationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Creates an exception without a cause.
  ///
  /// @param message one line
  public CommunicationException(String message) {
    super(message);
  }

  /// Creates an exception with a cause.
  ///
  /// @param message one line
  /// @param cause the cause
  public CommunicationException(String message, Throwable cause) {
    super(message, cause);
  }
}
