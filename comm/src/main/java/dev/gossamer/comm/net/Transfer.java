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

  /// Checks what the receiver expects of this message.
  ///
  /// @throws CommunicationException if the two sides disagree
  void check(int sender, Operation expected, long expectedBytes) {
    if (expected != operation) {
      throw new CommunicationException(
          "ranks disagree: rank %d called %s but rank %d called %s"
              .formatted(sender, operation.label(), peer, expected.label()));
    }
    if (expectedBytes != bytes()) {
      throw new CommunicationException(
          "%s: rank %d sends %d bytes%s to rank %d, which expects %d"
              .formatted(
                  operation.label(),
                  sender,
                  bytes(),
                  operation == Operation.SEND ? " with tag " + key.tag() : "",
                  peer,
                  expectedBytes));
    }
  }
}
