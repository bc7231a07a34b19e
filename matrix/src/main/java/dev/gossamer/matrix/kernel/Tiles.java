package dev.gossamer.matrix.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// The innermost step of a dense product: a small tile of the result, held in registers, gathers a
/// sum of outer products.
///
/// `tileRxV` computes, for `r < R` and the columns `j` of `V` vectors,
/// `C[r][j] = sum over i < steps of A[r][i] * B[i][j]`. All positions and strides are in bytes:
/// `A[r][i]` is the float at `aAt + r aRow + i aStep`, so that one kernel serves an operand and its
/// transpose; row `i` of `B` begins at `bAt + i bStep` and has `V` whole vectors; row `r` of `C`
/// begins at `cAt + r cRow`. The whole tile is overwritten. Its sum runs over `i` in ascending order,
/// from zero.
///
/// The accumulators are named, because the compiler keeps no array of vectors in registers.
/// Sixteen of them hide the latency of the multiply-add and leave registers for the operands.
final class Tiles {
  static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

  /// Floats in a vector.
  static final int LANES = SPECIES.length();

  /// Columns of the widest tile.
  static final int WIDTH = 4 * LANES;

  /// A multiple of the rows of every tile.
  static final int ROWS = 16;

  /// Bytes of spare memory that [#strip] needs: the largest tile.
  static final int TILE_BYTES = 16 * LANES * Float.BYTES;

  private static final long VECTOR_BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private Tiles() {}

  static void tile4x4(
      MemorySegment a, long aAt, long aRow, long aStep,
      MemorySegment b, long bAt, long bStep, int steps, MemorySegment c, long cAt, long cRow) {
    FloatVector s0a = FloatVector.zero(SPECIES), s0b = FloatVector.zero(SPECIES), s0c = FloatVector.zero(SPECIES), s0d = FloatVector.zero(SPECIES);
    FloatVector s1a = FloatVector.zero(SPECIES), s1b = FloatVector.zero(SPECIES), s1c = FloatVector.zero(SPECIES), s1d = FloatVector.zero(SPECIES);
    FloatVector s2a = FloatVector.zero(SPECIES), s2b = FloatVector.zero(SPECIES), s2c = FloatVector.zero(SPECIES), s2d = FloatVector.zero(SPECIES);
    FloatVector s3a = FloatVector.zero(SPECIES), s3b = FloatVector.zero(SPECIES), s3c = FloatVector.zero(SPECIES), s3d = FloatVector.zero(SPECIES);
    for (int i = 0; i < steps; i++) {
      long at = aAt + i * aStep;
      long bt = bAt + i * bStep;
      FloatVector ba = load(b, bt);
      FloatVector bb = load(b, bt + VECTOR_BYTES);
      FloatVector bc = load(b, bt + 2 * VECTOR_BYTES);
      FloatVector bd = load(b, bt + 3 * VECTOR_BYTES);
      FloatVector x = broadcast(a, at);
      s0a = x.fma(ba, s0a);
      s0b = x.fma(bb, s0b);
      s0c = x.fma(bc, s0c);
      s0d = x.fma(bd, s0d);
      x = broadcast(a, at + aRow);
      s1a = x.fma(ba, s1a);
      s1b = x.fma(bb, s1b);
      s1c = x.fma(bc, s1c);
      s1d = x.fma(bd, s1d);
      x = broadcast(a, at + 2 * aRow);
      s2a = x.fma(ba, s2a);
      s2b = x.fma(bb, s2b);
      s2c = x.fma(bc, s2c);
      s2d = x.fma(bd, s2d);
      x = broadcast(a, at + 3 * aRow);
      s3a = x.fma(ba, s3a);
      s3b = x.fma(bb, s3b);
      s3c = x.fma(bc, s3c);
      s3d = x.fma(bd, s3d);
    }
    s0a.intoMemorySegment(c, cAt, ORDER);
    s0b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    s0c.intoMemorySegment(c, cAt + 2 * VECTOR_BYTES, ORDER);
    s0d.intoMemorySegment(c, cAt + 3 * VECTOR_BYTES, ORDER);
    cAt += cRow;
    s1a.intoMemorySegment(c, cAt, ORDER);
    s1b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    s1c.intoMemorySegment(c, cAt + 2 * VECTOR_BYTES, ORDER);
    s1d.intoMemorySegment(c, cAt + 3 * VECTOR_BYTES, ORDER);
    cAt += cRow;
    s2a.intoMemorySegment(c, cAt, ORDER);
    s2b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    s2c.intoMemorySegment(c, cAt + 2 * VECTOR_BYTES, ORDER);
    s2d.intoMemorySegment(c, cAt + 3 * VECTOR_BYTES, ORDER);
    cAt += cRow;
    s3a.intoMemorySegment(c, cAt, ORDER);
    s3b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    s3c.intoMemorySegment(c, cAt + 2 * VECTOR_BYTES, ORDER);
    s3d.intoMemorySegment(c, cAt + 3 * VECTOR_BYTES, ORDER);
  }

  static void tile4x3(
      MemorySegment a, long aAt, long aRow, long aStep,
      MemorySegment b, long bAt, long bStep, int steps, MemorySegment c, long cAt, long cRow) {
    FloatVector s0a = FloatVector.zero(SPECIES), s0b = FloatVector.zero(SPECIES), s0c = FloatVector.zero(SPECIES);
    FloatVector s1a = FloatVector.zero(SPECIES), s1b = FloatVector.zero(SPECIES), s1c = FloatVector.zero(SPECIES);
    FloatVector s2a = FloatVector.zero(SPECIES), s2b = FloatVector.zero(SPECIES), s2c = FloatVector.zero(SPECIES);
    FloatVector s3a = FloatVector.zero(SPECIES), s3b = FloatVector.zero(SPECIES), s3c = FloatVector.zero(SPECIES);
    for (int i = 0; i < steps; i++) {
      long at = aAt + i * aStep;
      long bt = bAt + i * bStep;
      FloatVector ba = load(b, bt);
      FloatVector bb = load(b, bt + VECTOR_BYTES);
      FloatVector bc = load(b, bt + 2 * VECTOR_BYTES);
      FloatVector x = broadcast(a, at);
      s0a = x.fma(ba, s0a);
      s0b = x.fma(bb, s0b);
      s0c = x.fma(bc, s0c);
      x = broadcast(a, at + aRow);
      s1a = x.fma(ba, s1a);
      s1b = x.fma(bb, s1b);
      s1c = x.fma(bc, s1c);
      x = broadcast(a, at + 2 * aRow);
      s2a = x.fma(ba, s2a);
      s2b = x.fma(bb, s2b);
      s2c = x.fma(bc, s2c);
      x = broadcast(a, at + 3 * aRow);
      s3a = x.fma(ba, s3a);
      s3b = x.fma(bb, s3b);
      s3c = x.fma(bc, s3c);
    }
    s0a.intoMemorySegment(c, cAt, ORDER);
    s0b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    s0c.intoMemorySegment(c, cAt + 2 * VECTOR_BYTES, ORDER);
    cAt += cRow;
    s1a.intoMemorySegment(c, cAt, ORDER);
    s1b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    s1c.intoMemorySegment(c, cAt + 2 * VECTOR_BYTES, ORDER);
    cAt += cRow;
    s2a.intoMemorySegment(c, cAt, ORDER);
    s2b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    s2c.intoMemorySegment(c, cAt + 2 * VECTOR_BYTES, ORDER);
    cAt += cRow;
    s3a.intoMemorySegment(c, cAt, ORDER);
    s3b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    s3c.intoMemorySegment(c, cAt + 2 * VECTOR_BYTES, ORDER);
  }

  static void tile8x2(
      MemorySegment a, long aAt, long aRow, long aStep,
      MemorySegment b, long bAt, long bStep, int steps, MemorySegment c, long cAt, long cRow) {
    FloatVector s0a = FloatVector.zero(SPECIES), s0b = FloatVector.zero(SPECIES);
    FloatVector s1a = FloatVector.zero(SPECIES), s1b = FloatVector.zero(SPECIES);
    FloatVector s2a = FloatVector.zero(SPECIES), s2b = FloatVector.zero(SPECIES);
    FloatVector s3a = FloatVector.zero(SPECIES), s3b = FloatVector.zero(SPECIES);
    FloatVector s4a = FloatVector.zero(SPECIES), s4b = FloatVector.zero(SPECIES);
    FloatVector s5a = FloatVector.zero(SPECIES), s5b = FloatVector.zero(SPECIES);
    FloatVector s6a = FloatVector.zero(SPECIES), s6b = FloatVector.zero(SPECIES);
    FloatVector s7a = FloatVector.zero(SPECIES), s7b = FloatVector.zero(SPECIES);
    for (int i = 0; i < steps; i++) {
      long at = aAt + i * aStep;
      long bt = bAt + i * bStep;
      FloatVector ba = load(b, bt);
      FloatVector bb = load(b, bt + VECTOR_BYTES);
      FloatVector x = broadcast(a, at);
      s0a = x.fma(ba, s0a);
      s0b = x.fma(bb, s0b);
      x = broadcast(a, at + aRow);
      s1a = x.fma(ba, s1a);
      s1b = x.fma(bb, s1b);
      x = broadcast(a, at + 2 * aRow);
      s2a = x.fma(ba, s2a);
      s2b = x.fma(bb, s2b);
      x = broadcast(a, at + 3 * aRow);
      s3a = x.fma(ba, s3a);
      s3b = x.fma(bb, s3b);
      x = broadcast(a, at + 4 * aRow);
      s4a = x.fma(ba, s4a);
      s4b = x.fma(bb, s4b);
      x = broadcast(a, at + 5 * aRow);
      s5a = x.fma(ba, s5a);
      s5b = x.fma(bb, s5b);
      x = broadcast(a, at + 6 * aRow);
      s6a = x.fma(ba, s6a);
      s6b = x.fma(bb, s6b);
      x = broadcast(a, at + 7 * aRow);
      s7a = x.fma(ba, s7a);
      s7b = x.fma(bb, s7b);
    }
    s0a.intoMemorySegment(c, cAt, ORDER);
    s0b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    cAt += cRow;
    s1a.intoMemorySegment(c, cAt, ORDER);
    s1b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    cAt += cRow;
    s2a.intoMemorySegment(c, cAt, ORDER);
    s2b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    cAt += cRow;
    s3a.intoMemorySegment(c, cAt, ORDER);
    s3b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    cAt += cRow;
    s4a.intoMemorySegment(c, cAt, ORDER);
    s4b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    cAt += cRow;
    s5a.intoMemorySegment(c, cAt, ORDER);
    s5b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    cAt += cRow;
    s6a.intoMemorySegment(c, cAt, ORDER);
    s6b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
    cAt += cRow;
    s7a.intoMemorySegment(c, cAt, ORDER);
    s7b.intoMemorySegment(c, cAt + VECTOR_BYTES, ORDER);
  }

  static void tile8x1(
      MemorySegment a, long aAt, long aRow, long aStep,
      MemorySegment b, long bAt, long bStep, int steps, MemorySegment c, long cAt, long cRow) {
    FloatVector s0a = FloatVector.zero(SPECIES);
    FloatVector s1a = FloatVector.zero(SPECIES);
    FloatVector s2a = FloatVector.zero(SPECIES);
    FloatVector s3a = FloatVector.zero(SPECIES);
    FloatVector s4a = FloatVector.zero(SPECIES);
    FloatVector s5a = FloatVector.zero(SPECIES);
    FloatVector s6a = FloatVector.zero(SPECIES);
    FloatVector s7a = FloatVector.zero(SPECIES);
    for (int i = 0; i < steps; i++) {
      long at = aAt + i * aStep;
      long bt = bAt + i * bStep;
      FloatVector ba = load(b, bt);
      FloatVector x = broadcast(a, at);
      s0a = x.fma(ba, s0a);
      x = broadcast(a, at + aRow);
      s1a = x.fma(ba, s1a);
      x = broadcast(a, at + 2 * aRow);
      s2a = x.fma(ba, s2a);
      x = broadcast(a, at + 3 * aRow);
      s3a = x.fma(ba, s3a);
      x = broadcast(a, at + 4 * aRow);
      s4a = x.fma(ba, s4a);
      x = broadcast(a, at + 5 * aRow);
      s5a = x.fma(ba, s5a);
      x = broadcast(a, at + 6 * aRow);
      s6a = x.fma(ba, s6a);
      x = broadcast(a, at + 7 * aRow);
      s7a = x.fma(ba, s7a);
    }
    s0a.intoMemorySegment(c, cAt, ORDER);
    cAt += cRow;
    s1a.intoMemorySegment(c, cAt, ORDER);
    cAt += cRow;
    s2a.intoMemorySegment(c, cAt, ORDER);
    cAt += cRow;
    s3a.intoMemorySegment(c, cAt, ORDER);
    cAt += cRow;
    s4a.intoMemorySegment(c, cAt, ORDER);
    cAt += cRow;
    s5a.intoMemorySegment(c, cAt, ORDER);
    cAt += cRow;
    s6a.intoMemorySegment(c, cAt, ORDER);
    cAt += cRow;
    s7a.intoMemorySegment(c, cAt, ORDER);
  }

  static void tile1x1(
      MemorySegment a, long aAt, long aRow, long aStep,
      MemorySegment b, long bAt, long bStep, int steps, MemorySegment c, long cAt, long cRow) {
    FloatVector s0a = FloatVector.zero(SPECIES);
    for (int i = 0; i < steps; i++) {
      long at = aAt + i * aStep;
      long bt = bAt + i * bStep;
      FloatVector ba = load(b, bt);
      FloatVector x = broadcast(a, at);
      s0a = x.fma(ba, s0a);
    }
    s0a.intoMemorySegment(c, cAt, ORDER);
  }

  /// A strip of tiles: all rows of `A` against one panel of `B`, at most [#WIDTH] columns wide:
  /// `C (+)= A B`.
  ///
  /// A tile that is not written whole and afresh takes the way over `spare`.
  ///
  /// @param rows rows of `A`, any number
  /// @param padded whether `A` may be read up to a multiple of [#ROWS] rows
  /// @param bStep whole vectors: the padded width of the panel in bytes
  /// @param cols columns to write, `1..WIDTH`
  /// @param add whether to add to what is in `C`
  /// @param spare memory for one tile, of which the last [#TILE_BYTES] are used
  static void strip(
      MemorySegment a, long aAt, long aRow, long aStep, int rows, boolean padded,
      MemorySegment b, long bAt, long bStep, int steps,
      MemorySegment c, long cAt, long cRow, int cols, boolean add, MemorySegment spare) {
    int vectors = Math.ceilDiv(cols, LANES);
    int height = height(vectors);
    boolean whole = !add && cols == vectors * LANES;
    for (int r = 0; r < rows; r += height) {
      if (r + height > rows && !padded) {
        height = 1;
      }
      long at = aAt + r * aRow;
      long ct = cAt + r * cRow;
      if (whole && r + height <= rows) {
        tile(height, vectors, a, at, aRow, aStep, b, bAt, bStep, steps, c, ct, cRow);
      } else {
        long spareAt = spare.byteSize() - TILE_BYTES;
        tile(height, vectors, a, at, aRow, aStep, b, bAt, bStep, steps, spare, spareAt, bStep);
        settle(spare, spareAt, bStep, Math.min(height, rows - r), c, ct, cRow, cols, add);
      }
    }
  }

  private static void tile(
      int height, int vectors, MemorySegment a, long aAt, long aRow, long aStep,
      MemorySegment b, long bAt, long bStep, int steps, MemorySegment c, long cAt, long cRow) {
    if (height == 1) {
      for (long shift = 0; shift < vectors * VECTOR_BYTES; shift += VECTOR_BYTES) {
        tile1x1(a, aAt, aRow, aStep, b, bAt + shift, bStep, steps, c, cAt + shift, cRow);
      }
      return;
    }
    switch (vectors) {
      case 4 -> tile4x4(a, aAt, aRow, aStep, b, bAt, bStep, steps, c, cAt, cRow);
      case 3 -> tile4x3(a, aAt, aRow, aStep, b, bAt, bStep, steps, c, cAt, cRow);
      case 2 -> tile8x2(a, aAt, aRow, aStep, b, bAt, bStep, steps, c, cAt, cRow);
      default -> tile8x1(a, aAt, aRow, aStep, b, bAt, bStep, steps, c, cAt, cRow);
    }
  }

  private static int height(int vectors) {
    return vectors <= 2 ? 8 : 4;
  }

  /// Moves the valid part of a tile from the spare memory to its place.
  private static void settle(
      MemorySegment spare, long at, long row, int rows,
      MemorySegment c, long cAt, long cRow, int cols, boolean add) {
    for (int r = 0; r < rows; r++) {
      for (int j = 0; j < cols; j += LANES) {
        long from = at + r * row + (long) j * Float.BYTES;
        long to = cAt + r * cRow + (long) j * Float.BYTES;
        FloatVector sum = load(spare, from);
        if (j + LANES <= cols) {
          (add ? sum.add(load(c, to)) : sum).intoMemorySegment(c, to, ORDER);
        } else {
          VectorMask<Float> inside = SPECIES.indexInRange(j, cols);
          FloatVector old = FloatVector.fromMemorySegment(SPECIES, c, to, ORDER, inside);
          (add ? sum.add(old) : sum).intoMemorySegment(c, to, ORDER, inside);
        }
      }
    }
  }

  private static FloatVector load(MemorySegment from, long at) {
    return FloatVector.fromMemorySegment(SPECIES, from, at, ORDER);
  }

  private static FloatVector broadcast(MemorySegment from, long at) {
    return FloatVector.broadcast(SPECIES, from.get(FLOAT, at));
  }
}
