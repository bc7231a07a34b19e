package dev.gossamer.comm.net;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// The messages of at most [#LONGEST] bytes between two ranks, which leave at once: asking the
/// receiver first would take longer than they do.
///
/// One that comes before its receive has begun is kept on the receiver's side. Its sender has
/// credit for [#CREDIT] bytes that the receiver has not taken yet; beyond that messages wait, so
/// that a fast sender fills nobody's memory. Guarded by the connection.
final class ShortMessages {
  /// Of a message that does not ask first.
  static final int LONGEST = 4 << 10;

  private static final long CREDIT = 64 << 10;

  private final int rank;
  private final int peer;

  // To the other side.
  private final Deque<Transfer> sends = new ArrayDeque<>();
  private long credit = CREDIT;

  // From the other side.
  private final Waiting<Transfer> receives = new Waiting<>();
  private final Waiting<Early> early = new Waiting<>();
  private long taken;

  /// @param rank of this side
  /// @param peer rank of the other side
  ShortMessages(int rank, int peer) {
    this.rank = rank;
    this.peer = peer;
  }

  /// A message whose receive has not begun.
  private record Early(Frame frame, ByteBuffer bytes) {}

  static boolean isShort(Transfer message) {
    return message.bytes() <= LONGEST;
  }

  private static long cost(long bytes) {
    return Frame.BYTES + bytes;
  }

  /// Begins a send.
  void send(Transfer message) {
    sends.add(message);
  }

  /// Takes the next send that may leave; null if there is none.
  @Nullable Transfer leaving() {
    Transfer next = sends.peek();
    if (next == null || cost(next.bytes()) > credit) {
      return null;
    }
    credit -= cost(next.bytes());
    return sends.remove();
  }

  /// The other side has taken messages.
  void credit(long bytes) {
    credit += bytes;
  }

  /// Begins a receive.
  ///
  /// @return whether the message was there already
  boolean receive(Transfer message) {
    Early there = early.take(message.key());
    if (there == null) {
      receives.add(message.key(), message);
      return false;
    }
    take(message, there.frame(), there.bytes());
    return true;
  }

  /// A message has come.
  ///
  /// @param bytes that follow its frame, and what came after them
  /// @return the receive that is complete; null if it has not begun
  @Nullable Transfer arrive(Frame frame, ByteBuffer bytes) {
    int count = (int) frame.bytes();
    ByteBuffer own = bytes.slice(bytes.position(), count);
    bytes.position(bytes.position() + count);
    Transfer message = receives.take(frame.key());
    if (message == null) {
      early.add(frame.key(), new Early(frame, ByteBuffer.allocate(count).put(own).flip()));
      return null;
    }
    take(message, frame, own);
    return message;
  }

  private void take(Transfer message, Frame frame, ByteBuffer bytes) {
    Transfer.requireAgreed(frame, peer, message.frame(Frame.Kind.READY), rank);
    message.chunk(0).put(bytes);
    taken += cost(frame.bytes());
  }

  /// Bytes that the other side may count as taken now; 0 while they are too few to tell.
  long settled() {
    if (taken < CREDIT / 2) {
      return 0;
    }
    long all = taken;
    taken = 0;
    return all;
  }
}
