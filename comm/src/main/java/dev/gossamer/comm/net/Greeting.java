package dev.gossamer.comm.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The first 28 bytes on a connection, in both directions: who this is. [Admission] shows that it
/// belongs here.
///
/// @param version of what is said afterwards
/// @param encrypted whether that is
/// @param from rank of the sender
/// @param to rank that it wants to speak to
/// @param size number of ranks
record Greeting(int version, boolean encrypted, int from, int to, int size) {
  /// Of this code: [Admission], [Frame] and the order of frames.
  static final int VERSION = 1;

  private static final long MAGIC = 0x476f7373616d6572L; // "Gossamer"
  private static final int BYTES = Long.BYTES + 5 * Integer.BYTES;

  /// Reads the greeting of another process.
  ///
  /// @throws IOException if it is none
  static Greeting read(DataInputStream in) throws IOException {
    long magic = in.readLong();
    if (magic != MAGIC) {
      throw new IOException("expected the greeting of a rank, found %016x".formatted(magic));
    }
    int version = in.readInt();
    int encrypted = in.readInt();
    if (encrypted != 0 && encrypted != 1) {
      throw new IOException("expected 0 or 1 in the greeting of a rank, found " + encrypted);
    }
    return new Greeting(version, encrypted == 1, in.readInt(), in.readInt(), in.readInt());
  }

  byte[] bytes() {
    return ByteBuffer.allocate(BYTES)
        .putLong(MAGIC)
        .putInt(version)
        .putInt(encrypted ? 1 : 0)
        .putInt(from)
        .putInt(to)
        .putInt(size)
        .array();
  }

  /// The answer to it: the same, from the other side.
  Greeting answer() {
    return new Greeting(VERSION, encrypted, to, from, size);
  }
}
