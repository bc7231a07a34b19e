package dev.gossamer.pruned.corpus;

import dev.gossamer.matrix.io.Sha256;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/// SHA-256 over sections, each its name, a zero byte, the number of its bytes (int64,
/// little-endian), and its bytes.
final class ContentDigest {
  private static final long PIECE = 1 << 20;

  private final MessageDigest digest = Sha256.digest();

  ContentDigest section(String name, MemorySegment data) {
    digest.update(name.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
    ByteBuffer length = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    digest.update(length.putLong(data.byteSize()).flip());
    byte[] piece = new byte[(int) Math.min(PIECE, data.byteSize())];
    for (long at = 0; at < data.byteSize(); at += piece.length) {
      int count = (int) Math.min(piece.length, data.byteSize() - at);
      MemorySegment.copy(data, at, MemorySegment.ofArray(piece), 0, count);
      digest.update(piece, 0, count);
    }
    return this;
  }

  /// 64 hexadecimal digits; ends the digest.
  String text() {
    return HexFormat.of().formatHex(digest.digest());
  }
}
