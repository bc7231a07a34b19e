package dev.gossamer.base.io;

import java.lang.foreign.MemorySegment;

/// Copies a segment's bytes piece by piece, for consumers of byte arrays, such as digests and
/// checksums.
public final class SegmentPieces {
  private static final int PIECE = 1 << 16;

  /// Receives pieces.
  @FunctionalInterface
  public interface Sink {
    /// Receives the next bytes.
    ///
    /// @param bytes of the piece; overwritten by the next
    /// @param length number of valid bytes
    void accept(byte[] bytes, int length);
  }

  private SegmentPieces() {}

  /// Passes all bytes of a segment, in their order.
  ///
  /// @param data read once
  /// @param sink receives the pieces
  public static void forEach(MemorySegment data, Sink sink) {
    byte[] piece = new byte[(int) Math.min(PIECE, data.byteSize())];
    MemorySegment bytes = MemorySegment.ofArray(piece);
    for (long at = 0; at < data.byteSize(); at += piece.length) {
      int length = (int) Math.min(piece.length, data.byteSize() - at);
      MemorySegment.copy(data, at, bytes, 0, length);
      sink.accept(piece, length);
    }
  }
}
