package dev.gossamer.comm.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.channels.SocketChannel;

/// What two ranks say after their greetings to show each other that they know the token of the run:
/// the one that calls, then the other, then the first again.
sealed interface Admission permits ClearAdmission, SecretAdmission {
  /// {@return one side of a new connection}
  ///
  /// @param calls whether this side does
  /// @param greeting of the side that calls
  static Admission of(boolean calls, Greeting greeting, Token token) {
    return greeting.encrypted()
        ? new SecretAdmission(calls, greeting, token)
        : new ClearAdmission(calls, token);
  }

  /// The next words of this side.
  ///
  /// @throws IOException if those of the other side admit none
  byte[] say() throws IOException;

  /// Reads the next words of the other side.
  ///
  /// @return whether it knows the token
  boolean hear(DataInputStream in) throws IOException;

  /// The connection, when all is said.
  Wire wire(SocketChannel channel);
}
