package dev.gossamer.matrix.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// Copies pieces of a row-major matrix into panels: consecutive short rows of whole vectors, padded
/// with zeros, so that the tiles read memory in one ascending sweep.
final class Panels {
  private static final VectorSpecies<Float> SPECIES = Tiles.SPECIES;
  private static final int LANES = Tiles.LANES;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private Panels() {}

  /// `cols` rounded up to whole vectors.
  static int padded(int cols) {
    return Math.ceilDiv(cols, LANES) * LANES;
  }

  /// `to[i][j] = from[i][j]`.
  ///
  /// @param at position of the first element in bytes
  /// @param stride bytes from one row of `from` to the next
  /// @param rows rows to copy
  /// @param cols columns to copy; a row of the panel is `padded(cols)` floats
  /// @param to the panel, from its byte `toAt`
  static void copy(
      MemorySegment from, long at, long stride, int rows, int cols, MemorySegment to, long toAt) {
    long width = (long) padded(cols) * Float.BYTES;
    int whole = cols / LANES * LANES;
    VectorMask<Float> rest = SPECIES.indexInRange(whole, cols);
    for (int i = 0; i < rows; i++) {
      long source = at + i * stride;
      long target = toAt + i * width;
      for (int j = 0; j < whole; j += LANES) {
        FloatVector.fromMemorySegment(SPECIES, from, source + (long) j * Float.BYTES, ORDER)
            .intoMemorySegment(to, target + (long) j * Float.BYTES, ORDER);
      }
      if (whole < cols) {
        FloatVector.fromMemorySegment(
                SPECIES, from, source + (long) whole * Float.BYTES, ORDER, rest)
            .intoMemorySegment(to, target + (long) whole * Float.BYTES, ORDER);
      }
    }
  }

  /// `to[i][j] = from[j][i]`.
  ///
  /// @param at position of the first element in bytes
  /// @param stride bytes from one row of `from` to the next
  /// @param rows rows of the panel: columns of `from`
  /// @param cols columns of the panel: rows of `from`; a row of the panel is `padded(cols)` floats
  /// @param to the panel, from its byte `toAt`
  static void copyTransposed(
      MemorySegment from, long at, long stride, int rows, int cols, MemorySegment to, long toAt) {
    int width = padded(cols);
    for (int i = 0; i < rows; i++) {
      long source = at + (long) i * Float.BYTES;
      long target = toAt + (long) i * width * Float.BYTES;
      for (int j = 0; j < cols; j++) {
        to.set(FLOAT, target + (long) j * Float.BYTES, from.get(FLOAT, source + j * stride));
      }
      for (int j = cols; j < width; j++) {
        to.set(FLOAT, target + (long) j * Float.BYTES, 0f);
      }
    }
  }
}
