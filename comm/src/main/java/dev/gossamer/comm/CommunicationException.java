package dev.gossamer.comm;

/// An operation between ranks failed on this rank: ranks disagree about it, it took longer than
/// allowed, or the MPI library reported an error. The message names the ranks.
public final class CommunicationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CommunicationException(String message) {
    super(message);
  }

  public CommunicationException(String message, Throwable cause) {
    super(message, cause);
  }
}
