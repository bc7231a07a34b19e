package dev.gossamer.pruned.corpus;

import dev.gossamer.base.io.SegmentPieces;
import dev.gossamer.base.io.Sha256;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/// SHA-256 over sections, each its name, a zero byte, the number of its bytes (int64,
/// little-endian), and its bytes.
final class ContentDigest {
  private final MessageDigest digest = Sha256.digest();

  ContentDigest section(String name, MemorySegment data) {
    digest.update(name.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
    ByteBuffer length = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    digest.update(length.putLong(data.byteSize()).flip());
    SegmentPieces.forEach(data, (piece, count) -> digest.update(piece, 0, count));
    return this;
  }

  /// 64 hexadecimal digits; ends the digest.
  String text() {
    return HexFormat.of().formatHex(digest.digest());
  }
}
