package dev.gossamer.comm.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The first 56 bytes on a connection, in both directions: who this is and that it belongs here.
///
/// @param version of what is said afterwards
/// @param token of the run
/// @param from rank of the sender
/// @param to rank that it wants to speak to
/// @param size number of ranks
record Greeting(int version, Token token, int from, int to, int size) {
  /// Of this code: [Frame] and the order of frames.
  static final int VERSION = 1;

  private static final long MAGIC = 0x476f7373616d6572L; // "Gossamer"
  private static final int BYTES = Long.BYTES + 4 * Integer.BYTES + Token.BYTES;

  /// Reads the greeting of another process.
  ///
  /// @throws IOException if it is none
  static Greeting read(DataInputStream in) throws IOException {
    long magic = in.readLong();
    if (magic != MAGIC) {
      throw new IOException("expected the greeting of a rank, found %016x".formatted(magic));
    }
    int version = in.readInt();
    Token token = Token.of(in.readNBytes(Token.BYTES));
    return new Greeting(version, token, in.readInt(), in.readInt(), in.readInt());
  }

  byte[] bytes() {
    return ByteBuffer.allocate(BYTES)
        .putLong(MAGIC)
        .putInt(version)
        .put(token.bytes())
        .putInt(from)
        .putInt(to)
        .putInt(size)
        .array();
  }

  /// The answer to it: the same, from the other side.
  Greeting answer() {
    return new Greeting(VERSION, token, to, from, size);
  }
}
