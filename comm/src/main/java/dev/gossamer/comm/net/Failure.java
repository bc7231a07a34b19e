package dev.gossamer.comm.net;

import dev.gossamer.base.Excerpt;
import dev.gossamer.base.InvalidInputException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Which rank has failed and why.
///
/// @param rank that failed first, as far as the sender knows
/// @param isBadInput whether its user can mend it
/// @param words of its exception
record Failure(int rank, boolean isBadInput, String words) {
  private static final int HEAD = Integer.BYTES + 1;

  /// Of its bytes: a character takes at most three.
  static final int LONGEST = HEAD + 3 * Excerpt.LONGEST;

  static Failure of(int rank, Throwable cause) {
    return cause instanceof InvalidInputException
        ? new Failure(rank, true, Excerpt.of(String.valueOf(cause.getMessage())))
        : new Failure(rank, false, Excerpt.of(cause.toString()));
  }

  /// What it is on the other ranks.
  Throwable cause() {
    return isBadInput ? new InvalidInputException(words) : new Elsewhere(words);
  }

  /// An exception of another process, of which only the words have come: they name its class.
  @SuppressWarnings("OverrideThrowableToString")
  private static final class Elsewhere extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Elsewhere(String words) {
      super(words, null, false, false);
    }

    @Override
    public String toString() {
      return String.valueOf(getMessage());
    }
  }

  /// Puts it behind its frame.
  void put(ByteBuffer buffer) {
    byte[] text = words.getBytes(StandardCharsets.UTF_8);
    Frame.of(Frame.Kind.FAILED, HEAD + text.length).put(buffer);
    buffer.putInt(rank).put((byte) (isBadInput ? 1 : 0)).put(text);
  }

  /// Takes what follows its frame.
  ///
  /// @throws ProtocolException if that is too long or too short
  static Failure taken(ByteBuffer buffer, long bytes) throws ProtocolException {
    if (bytes < HEAD || bytes > LONGEST) {
      throw Frame.unexpected("a failure of %d bytes".formatted(bytes));
    }
    int rank = buffer.getInt();
    boolean isBadInput = buffer.get() != 0;
    byte[] text = new byte[(int) bytes - HEAD];
    buffer.get(text);
    return new Failure(rank, isBadInput, new String(text, StandardCharsets.UTF_8));
  }
}
