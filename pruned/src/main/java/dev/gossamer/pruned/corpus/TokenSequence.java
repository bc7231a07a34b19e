package dev.gossamer.pruned.corpus;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The tokens of one part of a text, in off-heap memory, two bytes each.
final class TokenSequence {
  private static final ValueLayout.OfChar TOKEN =
      ValueLayout.JAVA_CHAR_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment data;

  private TokenSequence(MemorySegment data) {
    this.data = data;
  }

  long length() {
    return data.byteSize() / Character.BYTES;
  }

  int get(long i) {
    return data.get(TOKEN, i * Character.BYTES);
  }

  /// Two bytes a token, little-endian.
  MemorySegment data() {
    return data;
  }

  /// Collects tokens whose number nobody knows yet.
  static final class Builder implements AutoCloseable {
    private static final long FIRST_TOKENS = 1 << 16;

    private Arena arena = Arena.ofShared();
    private MemorySegment data = MemorySegment.NULL;
    private long length;

    void add(int[] tokens) {
      reserve(length + tokens.length);
      for (int token : tokens) {
        data.set(TOKEN, length * Character.BYTES, (char) token);
        length++;
      }
    }

    private void reserve(long needed) {
      if (needed * Character.BYTES <= data.byteSize()) {
        return;
      }
      long tokens =
          Math.max(FIRST_TOKENS, Math.max(needed, data.byteSize() / Character.BYTES / 2 * 3));
      Arena larger = Arena.ofShared();
      try {
        MemorySegment copy = larger.allocate(tokens * Character.BYTES, Character.BYTES);
        MemorySegment.copy(data, 0, copy, 0, length * Character.BYTES);
        data = copy;
      } catch (RuntimeException | Error e) {
        larger.close();
        throw e;
      }
      arena.close();
      arena = larger;
    }

    /// What has been collected, in memory of the given owner.
    TokenSequence build(Arena owner) {
      MemorySegment whole = owner.allocate(length * Character.BYTES, Character.BYTES);
      MemorySegment.copy(data, 0, whole, 0, whole.byteSize());
      return new TokenSequence(whole);
    }

    @Override
    public void close() {
      arena.close();
    }
  }
}
