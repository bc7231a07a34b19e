package dev.gossamer.pruned.prune;

import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.BitSet;

/// The survivors of a matrix as bits in memory, the format of files and messages: the first element
/// in the lowest bit of the first byte.
public final class MaskBits {
  private MaskBits() {}

  /// {@return bytes of the bits of a matrix}
  ///
  /// @param elements of the matrix
  public static long bytes(long elements) {
    return Math.ceilDiv(elements, (long) Byte.SIZE);
  }

  /// Writes the survivors of a matrix.
  ///
  /// @param mask that contains the matrix
  /// @param matrix of the mask
  /// @param to [#bytes], zero
  public static void write(Mask mask, ParameterLayout.Entry matrix, MemorySegment to) {
    byte[] kept = mask.survivors(matrix.name()).toByteArray();
    MemorySegment.copy(MemorySegment.ofArray(kept), 0, to, 0, kept.length);
  }

  /// {@return the survivors that are encoded in bits}
  ///
  /// @param bits as written by [#write]
  public static BitSet read(MemorySegment bits) {
    return BitSet.valueOf(bits.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN));
  }
}
