package dev.gossamer.matrix.tile;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.format.NumberFormat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// Copies parts of a row-major matrix into panels: consecutive short rows of whole vectors, padded
/// with zeros, so that the tiles read memory in one ascending sweep.
public final class Panels {
  private static final VectorSpecies<Float> SPECIES = Tiles.SPECIES;
  private static final int LANES = Tiles.LANES;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

  /// Elements of a row that are transposed at a time: they share cache lines, and so do those that
  /// they become.
  private static final int LINE = 32;

  private Panels() {}

  /// {@return `cols` rounded up to whole vectors}
  ///
  /// @param cols any number
  public static int padded(int cols) {
    return Math.ceilDiv(cols, LANES) * LANES;
  }

  /// Computes `to[i][j] = from[i][j]`.
  ///
  /// @param from the matrix
  /// @param at position of the first element in bytes
  /// @param stride bytes from one row of `from` to the next
  /// @param rows rows to copy
  /// @param cols columns to copy; a row of the panel is `padded(cols)` floats
  /// @param to the panel, from its byte `toAt`
  /// @param toAt first byte of the panel
  public static void copy(
      MemorySegment from, long at, long stride, int rows, int cols, MemorySegment to, long toAt) {
    long width = (long) padded(cols) * Float.BYTES;
    if (rows == 0) {
      return;
    }
    long x = Memory.address(from, at, (rows - 1) * stride + (long) cols * Float.BYTES);
    long y = Memory.address(to, toAt, rows * width);
    for (int i = 0; i < rows; i++) {
      copyRow(x + i * stride, y + i * width, cols);
    }
  }

  private static void copyRow(long from, long to, int cols) {
    int whole = cols / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      long shift = (long) j * Float.BYTES;
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from + shift), ORDER)
          .intoMemorySegment(Memory.ALL, Memory.at(to + shift), ORDER);
    }
    if (whole < cols) {
      long shift = (long) whole * Float.BYTES;
      VectorMask<Float> rest = SPECIES.indexInRange(whole, cols);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from + shift), ORDER, rest)
          .intoMemorySegment(Memory.ALL, Memory.at(to + shift), ORDER);
    }
  }

  /// Copies numbers of a format, widened to float32.
  ///
  /// @param format of the numbers
  /// @param from the matrix
  /// @param at position of the first element in bytes
  /// @param stride bytes from one row of `from` to the next
  /// @param rows rows to copy
  /// @param cols columns to copy; a row of the panel is `padded(cols)` floats
  /// @param to the panel
  /// @param toAt its first byte
  public static void copy(
      NumberFormat format,
      MemorySegment from,
      long at,
      long stride,
      int rows,
      int cols,
      MemorySegment to,
      long toAt) {
    if (format == NumberFormat.FLOAT32) {
      copy(from, at, stride, rows, cols, to, toAt);
      return;
    }
    int width = padded(cols);
    long row = (long) width * Float.BYTES;
    long x = Memory.address(from, at, (rows - 1) * stride + (long) cols * format.bytes());
    long y = Memory.address(to, toAt, rows * row);
    for (int i = 0; i < rows; i++) {
      format.widen(x + i * stride, y + i * row, cols);
      for (int j = cols; j < width; j++) {
        Memory.ALL.set(FLOAT, Memory.at(y + i * row + (long) j * Float.BYTES), 0f);
      }
    }
  }

  /// Computes `to[i][j] = from[j][i]` for numbers of a format, widened to float32.
  ///
  /// @param format of the numbers
  /// @param from the matrix
  /// @param at position of the first element in bytes
  /// @param stride bytes from one row of `from` to the next
  /// @param rows rows of the panel: columns of `from`
  /// @param cols columns of the panel: rows of `from`; a row of the panel is `padded(cols)` floats
  /// @param to the panel, from its byte `toAt`
  /// @param toAt first byte of the panel
  public static void copyTransposed(
      NumberFormat format,
      MemorySegment from,
      long at,
      long stride,
      int rows,
      int cols,
      MemorySegment to,
      long toAt) {
    long width = (long) padded(cols) * Float.BYTES;
    long x = Memory.address(from, at, (cols - 1) * stride + (long) rows * format.bytes());
    long y = Memory.address(to, toAt, rows * width);
    for (int i = 0; i < rows; i += LINE) {
      int count = Math.min(LINE, rows - i);
      for (int j = 0; j < cols; j++) {
        long source = x + j * stride + (long) i * format.bytes();
        long target = y + i * width + (long) j * Float.BYTES;
        switch (format) {
          case FLOAT32 -> column(source, count, target, width);
          case BF16 -> columnOfBfloat16(source, count, target, width);
          case FP16 -> columnOfFloat16(source, count, target, width);
        }
      }
      for (long row = y + i * width; row < y + (i + count) * width; row += width) {
        for (long j = (long) cols * Float.BYTES; j < width; j += Float.BYTES) {
          Memory.ALL.set(FLOAT, Memory.at(row + j), 0f);
        }
      }
    }
  }

  private static void column(long from, int count, long to, long width) {
    for (int i = 0; i < count; i++) {
      float v = Memory.ALL.get(FLOAT, Memory.at(from + (long) i * Float.BYTES));
      Memory.ALL.set(FLOAT, Memory.at(to + i * width), v);
    }
  }

  private static void columnOfBfloat16(long from, int count, long to, long width) {
    for (int i = 0; i < count; i++) {
      short v = Memory.ALL.get(SHORT, Memory.at(from + (long) i * Short.BYTES));
      Memory.ALL.set(FLOAT, Memory.at(to + i * width), Float.intBitsToFloat(v << 16));
    }
  }

  private static void columnOfFloat16(long from, int count, long to, long width) {
    for (int i = 0; i < count; i++) {
      short v = Memory.ALL.get(SHORT, Memory.at(from + (long) i * Short.BYTES));
      Memory.ALL.set(FLOAT, Memory.at(to + i * width), Float.float16ToFloat(v));
    }
  }
}
