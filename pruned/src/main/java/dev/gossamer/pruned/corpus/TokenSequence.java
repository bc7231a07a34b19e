package dev.gossamer.pruned.corpus;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

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

  /// Two bytes per token, little-endian.
  MemorySegment data() {
    return data;
  }

  /// Collects an unknown number of tokens in chunks of memory, so that little memory is unused.
  static final class Builder implements AutoCloseable {
    private static final int PIECE = 1 << 18;

    private final Arena arena = Arena.ofShared();
    private final List<MemorySegment> pieces = new ArrayList<>();
    private long length;

    void add(int[] tokens) {
      for (int token : tokens) {
        int at = (int) (length % PIECE);
        if (at == 0) {
          pieces.add(arena.allocate((long) PIECE * Character.BYTES, Character.BYTES));
        }
        pieces.getLast().set(TOKEN, (long) at * Character.BYTES, (char) token);
        length++;
      }
    }

    /// Returns the collected tokens, in memory of the given owner.
    TokenSequence build(Arena owner) {
      MemorySegment whole = owner.allocate(length * Character.BYTES, Character.BYTES);
      long at = 0;
      for (MemorySegment piece : pieces) {
        long bytes = Math.min(piece.byteSize(), whole.byteSize() - at);
        MemorySegment.copy(piece, 0, whole, at, bytes);
        at += bytes;
      }
      return new TokenSequence(whole);
    }

    @Override
    public void close() {
      arena.close();
    }
  }
}
