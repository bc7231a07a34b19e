package dev.gossamer.comm.net;

import java.io.IOException;

/// A connection that does not work any more, inside this package.
final class LostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Connection connection;

  LostException(Connection connection, IOException cause) {
    super(cause);
    this.connection = connection;
  }

  Connection connection() {
    return connection;
  }
}
