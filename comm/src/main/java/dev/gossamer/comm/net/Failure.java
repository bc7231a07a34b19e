package dev.gossamer.comm.net;

import dev.gossamer.base.Excerpt;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.TrainingFailedException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Which rank has failed and why.
///
/// @param rank that failed first, as far as the sender knows
/// @param kind of its exception
/// @param words of its exception
record Failure(int rank, Kind kind, String words) {
  /// What the other ranks make of it.
  enum Kind {
    /// A failure of that rank alone.
    RANK,

    /// Bad input, which its user can mend.
    INPUT,

    /// The end of a training, which is that of all ranks.
    TRAINING
  }

  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final int HEAD = Integer.BYTES + 1;

  /// Of its bytes: a character takes at most three.
  static final int LONGEST = HEAD + 3 * Excerpt.LONGEST;

  static Failure of(int rank, Throwable cause) {
    Kind kind =
        switch (cause) {
          case InvalidInputException e -> Kind.INPUT;
          case TrainingFailedException e -> Kind.TRAINING;
          default -> Kind.RANK;
        };
    String words = kind == Kind.RANK ? cause.toString() : String.valueOf(cause.getMessage());
    return new Failure(rank, kind, Excerpt.of(words));
  }

  /// What it is on the other ranks.
  Throwable cause() {
    return switch (kind) {
      case RANK -> new Elsewhere(words);
      case INPUT -> new InvalidInputException(words);
      case TRAINING -> new TrainingFailedException(words);
    };
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
    buffer.putInt(rank).put((byte) KINDS.indexOf(kind)).put(text);
  }

  /// Takes what follows its frame.
  ///
  /// @throws ProtocolException if that is too long, too short, or of no known kind
  static Failure taken(ByteBuffer buffer, long bytes) throws ProtocolException {
    if (bytes < HEAD || bytes > LONGEST) {
      throw Frame.unexpected("a failure of %d bytes".formatted(bytes));
    }
    int rank = buffer.getInt();
    int kind = buffer.get();
    if (kind < 0 || kind >= KINDS.size()) {
      throw Frame.unexpected("a failure of kind %d".formatted(kind));
    }
    byte[] text = new byte[(int) bytes - HEAD];
    buffer.get(text);
    return new Failure(rank, KINDS.get(kind), new String(text, StandardCharsets.UTF_8));
  }
}
