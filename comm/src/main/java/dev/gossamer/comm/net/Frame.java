package dev.gossamer.comm.net;

import dev.gossamer.comm.Operation;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.List;

/// What ranks say to each other: 24 bytes, in network order, which the bytes of a message or a text
/// may follow.
///
/// @param kind of the frame
/// @param key of the message; of no meaning if the frame is about none
/// @param operation that the message belongs to
/// @param bytes of the whole message or of the text, or taken
record Frame(Kind kind, Key key, Operation operation, long bytes) {
  static final int BYTES = 2 + Short.BYTES + Integer.BYTES + 2 * Long.BYTES;

  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final List<Operation> OPERATIONS = List.of(Operation.values());

  /// A frame that is about no message.
  static Frame of(Kind kind, long bytes) {
    return new Frame(kind, Key.NONE, Operation.SEND, bytes);
  }

  enum Kind {
    /// A message of at most [ShortMessages#LONGEST] bytes, and these.
    SHORT,
    /// The sender has taken so many bytes of short messages and their frames.
    TAKEN,
    /// The receive of a longer message has begun: its bytes may come.
    READY,
    /// A message, and its first [Connection#CHUNK] bytes.
    MESSAGE,
    /// The next [Connection#CHUNK] bytes of the message that has begun.
    MORE,
    /// The sender lives.
    ALIVE,
    /// A rank has failed: followed by its number, the kind of its failure, and its words.
    FAILED,
    /// The sender has ended well and says nothing more.
    END
  }

  /// By which sends and receives find each other, in the order in which they begin.
  ///
  /// @param group of ranks
  /// @param tag of the user, at least 0, or of a collective, below 0
  record Key(long group, int tag) {
    static final Key NONE = new Key(0, 0);
  }

  void put(ByteBuffer buffer) {
    buffer
        .put((byte) KINDS.indexOf(kind))
        .put((byte) OPERATIONS.indexOf(operation))
        .putShort((short) 0);
    buffer.putInt(key.tag()).putLong(key.group()).putLong(bytes);
  }

  /// Takes the next frame.
  ///
  /// @throws ProtocolException if it is none
  static Frame take(ByteBuffer buffer) throws ProtocolException {
    int kind = buffer.get();
    int operation = buffer.get();
    buffer.getShort();
    int tag = buffer.getInt();
    Key key = new Key(buffer.getLong(), tag);
    long bytes = buffer.getLong();
    if (kind < 0 || kind >= KINDS.size() || operation < 0 || operation >= OPERATIONS.size()) {
      throw unexpected("one of kind %d, operation %d".formatted(kind, operation));
    }
    return new Frame(KINDS.get(kind), key, OPERATIONS.get(operation), bytes);
  }

  /// What the other side says makes no sense.
  static ProtocolException unexpected(String found) {
    return new ProtocolException("expected another frame, found " + found);
  }
}
