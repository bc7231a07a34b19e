package dev.gossamer.comm.net;

import java.io.IOException;

/// A connection that does not work any more, inside this package.
final class LostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// At the other end.
  private final int peer;

  LostException(int peer, IOException cause) {
    super(cause);
    this.peer = peer;
  }

  int peer() {
    return peer;
  }
}
