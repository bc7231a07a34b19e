package dev.gossamer.comm.net;

import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.Operation;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// One message, from the side of its sender or of its receiver.
///
/// @param request that it is part of
/// @param operation that it belongs to
/// @param peer the other side's number in the world
/// @param key by which the two sides find each other
/// @param segment read or filled
record Transfer(
    NetRequest request, Operation operation, int peer, Frame.Key key, MemorySegment segment) {
  long bytes() {
    return segment.byteSize();
  }

  /// The bytes from `at`, at most [Connection#CHUNK] of them.
  ByteBuffer chunk(long at) {
    return segment.asSlice(at, Math.min(Connection.CHUNK, bytes() - at)).asByteBuffer();
  }

  /// Called when the last byte has left or has come.
  void done() {
    request.done(this);
  }

  /// What is said of it.
  ///
  /// @param kind of the frame
  Frame frame(Frame.Kind kind) {
    return new Frame(kind, key, operation, bytes());
  }

  /// Checks that the two sides of a message mean the same.
  ///
  /// @param sent what the sender says of it
  /// @param expected what the receiver says of it
  /// @throws CommunicationException if they disagree
  static void requireAgreed(Frame sent, int sender, Frame expected, int receiver) {
    if (expected.operation() != sent.operation()) {
      throw new CommunicationException(
          "ranks disagree: rank %d called %s but rank %d called %s"
              .formatted(sender, sent.operation().label(), receiver, expected.operation().label()));
    }
    if (expected.bytes() != sent.bytes()) {
      boolean tagged = sent.operation() == Operation.SEND;
      throw new CommunicationException(
          "%s: rank %d sends %d bytes%s to rank %d, which expects %d"
              .formatted(
                  sent.operation().label(),
                  sender,
                  sent.bytes(),
                  tagged ? " with tag " + sent.key().tag() : "",
                  receiver,
                  expected.bytes()));
    }
  }
}
