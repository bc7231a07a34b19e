package dev.gossamer.matrix.dense;

import dev.gossamer.matrix.memory.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// The innermost step of a dense product: a small tile of the result, held in registers, gathers a
/// sum of outer products.
///
/// `tileRxV` computes, for `r < R` and the columns `j` of `V` vectors, `C[r][j] = sum over i <
/// steps of A[r][i] * B[i][j]`. All positions and strides are in bytes: `A[r][i]` is the float at
/// `aAt + r aRow + i aStep`, so that one kernel serves an operand and its transpose; row `i` of `B`
/// begins at `bAt + i bStep` and has `V` whole vectors; row `r` of `C` begins at `cAt + r cRow`.
/// The whole tile is overwritten. Its sum runs over `i` in ascending order, from zero.
///
/// The tiles work on addresses ([Memory]); [#strip] has checked that they stay inside their
/// segments.
///
/// The accumulators are named, because the compiler keeps no array of vectors in registers. Sixteen
/// of them hide the latency of the multiply-add and leave registers for the operands.
public final class Tiles {
  public static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

  /// Floats in a vector.
  public static final int LANES = SPECIES.length();

  /// Columns of the widest tile.
  public static final int WIDTH = 4 * LANES;

  /// A multiple of the rows of every tile.
  public static final int ROWS = 16;

  /// Bytes of spare memory that [#strip] needs: the largest tile.
  public static final int TILE_BYTES = 16 * LANES * Float.BYTES;

  private static final long VECTOR_BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private Tiles() {}

  private static void tiles4x4(
      long aAt,
      long aRow,
      long aStep,
      long bAt,
      long bStep,
      int steps,
      long cAt,
      long cRow,
      int tiles,
      boolean add) {
    for (int t = 0; t < tiles; t++) {
      FloatVector s0a = FloatVector.zero(SPECIES);
      FloatVector s0b = FloatVector.zero(SPECIES);
      FloatVector s0c = FloatVector.zero(SPECIES);
      FloatVector s0d = FloatVector.zero(SPECIES);
      FloatVector s1a = FloatVector.zero(SPECIES);
      FloatVector s1b = FloatVector.zero(SPECIES);
      FloatVector s1c = FloatVector.zero(SPECIES);
      FloatVector s1d = FloatVector.zero(SPECIES);
      FloatVector s2a = FloatVector.zero(SPECIES);
      FloatVector s2b = FloatVector.zero(SPECIES);
      FloatVector s2c = FloatVector.zero(SPECIES);
      FloatVector s2d = FloatVector.zero(SPECIES);
      FloatVector s3a = FloatVector.zero(SPECIES);
      FloatVector s3b = FloatVector.zero(SPECIES);
      FloatVector s3c = FloatVector.zero(SPECIES);
      FloatVector s3d = FloatVector.zero(SPECIES);
      long at = aAt + t * (4 * aRow);
      long bt = bAt;
      for (int i = 0; i < steps; i++) {
        FloatVector ba = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt), ORDER);
        FloatVector bb =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt + VECTOR_BYTES), ORDER);
        FloatVector bc =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(bt + 2 * VECTOR_BYTES), ORDER);
        FloatVector bd =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(bt + 3 * VECTOR_BYTES), ORDER);
        FloatVector x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at)));
        s0a = x.fma(ba, s0a);
        s0b = x.fma(bb, s0b);
        s0c = x.fma(bc, s0c);
        s0d = x.fma(bd, s0d);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + aRow)));
        s1a = x.fma(ba, s1a);
        s1b = x.fma(bb, s1b);
        s1c = x.fma(bc, s1c);
        s1d = x.fma(bd, s1d);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 2 * aRow)));
        s2a = x.fma(ba, s2a);
        s2b = x.fma(bb, s2b);
        s2c = x.fma(bc, s2c);
        s2d = x.fma(bd, s2d);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 3 * aRow)));
        s3a = x.fma(ba, s3a);
        s3b = x.fma(bb, s3b);
        s3c = x.fma(bc, s3c);
        s3d = x.fma(bd, s3d);
        at += aStep;
        bt += bStep;
      }
      long ct = cAt + t * (4 * cRow);
      if (add) {
        s0a = s0a.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct), ORDER));
        s0b =
            s0b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER));
        s0c =
            s0c.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * VECTOR_BYTES), ORDER));
        s0d =
            s0d.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * VECTOR_BYTES), ORDER));
        s1a =
            s1a.add(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct + cRow), ORDER));
        s1b =
            s1b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER));
        s1c =
            s1c.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + 2 * VECTOR_BYTES), ORDER));
        s1d =
            s1d.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + 3 * VECTOR_BYTES), ORDER));
        s2a =
            s2a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow), ORDER));
        s2b =
            s2b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER));
        s2c =
            s2c.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + 2 * VECTOR_BYTES), ORDER));
        s2d =
            s2d.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + 3 * VECTOR_BYTES), ORDER));
        s3a =
            s3a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow), ORDER));
        s3b =
            s3b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER));
        s3c =
            s3c.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + 2 * VECTOR_BYTES), ORDER));
        s3d =
            s3d.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + 3 * VECTOR_BYTES), ORDER));
      }
      s0a.intoMemorySegment(Memory.ALL, Memory.at(ct), ORDER);
      s0b.intoMemorySegment(Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER);
      s0c.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * VECTOR_BYTES), ORDER);
      s0d.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * VECTOR_BYTES), ORDER);
      s1a.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow), ORDER);
      s1b.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER);
      s1c.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + 2 * VECTOR_BYTES), ORDER);
      s1d.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + 3 * VECTOR_BYTES), ORDER);
      s2a.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow), ORDER);
      s2b.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER);
      s2c.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + 2 * VECTOR_BYTES), ORDER);
      s2d.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + 3 * VECTOR_BYTES), ORDER);
      s3a.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow), ORDER);
      s3b.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER);
      s3c.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + 2 * VECTOR_BYTES), ORDER);
      s3d.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + 3 * VECTOR_BYTES), ORDER);
    }
  }

  private static void tiles4x3(
      long aAt,
      long aRow,
      long aStep,
      long bAt,
      long bStep,
      int steps,
      long cAt,
      long cRow,
      int tiles,
      boolean add) {
    for (int t = 0; t < tiles; t++) {
      FloatVector s0a = FloatVector.zero(SPECIES);
      FloatVector s0b = FloatVector.zero(SPECIES);
      FloatVector s0c = FloatVector.zero(SPECIES);
      FloatVector s1a = FloatVector.zero(SPECIES);
      FloatVector s1b = FloatVector.zero(SPECIES);
      FloatVector s1c = FloatVector.zero(SPECIES);
      FloatVector s2a = FloatVector.zero(SPECIES);
      FloatVector s2b = FloatVector.zero(SPECIES);
      FloatVector s2c = FloatVector.zero(SPECIES);
      FloatVector s3a = FloatVector.zero(SPECIES);
      FloatVector s3b = FloatVector.zero(SPECIES);
      FloatVector s3c = FloatVector.zero(SPECIES);
      long at = aAt + t * (4 * aRow);
      long bt = bAt;
      for (int i = 0; i < steps; i++) {
        FloatVector ba = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt), ORDER);
        FloatVector bb =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt + VECTOR_BYTES), ORDER);
        FloatVector bc =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(bt + 2 * VECTOR_BYTES), ORDER);
        FloatVector x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at)));
        s0a = x.fma(ba, s0a);
        s0b = x.fma(bb, s0b);
        s0c = x.fma(bc, s0c);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + aRow)));
        s1a = x.fma(ba, s1a);
        s1b = x.fma(bb, s1b);
        s1c = x.fma(bc, s1c);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 2 * aRow)));
        s2a = x.fma(ba, s2a);
        s2b = x.fma(bb, s2b);
        s2c = x.fma(bc, s2c);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 3 * aRow)));
        s3a = x.fma(ba, s3a);
        s3b = x.fma(bb, s3b);
        s3c = x.fma(bc, s3c);
        at += aStep;
        bt += bStep;
      }
      long ct = cAt + t * (4 * cRow);
      if (add) {
        s0a = s0a.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct), ORDER));
        s0b =
            s0b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER));
        s0c =
            s0c.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * VECTOR_BYTES), ORDER));
        s1a =
            s1a.add(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct + cRow), ORDER));
        s1b =
            s1b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER));
        s1c =
            s1c.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + 2 * VECTOR_BYTES), ORDER));
        s2a =
            s2a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow), ORDER));
        s2b =
            s2b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER));
        s2c =
            s2c.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + 2 * VECTOR_BYTES), ORDER));
        s3a =
            s3a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow), ORDER));
        s3b =
            s3b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER));
        s3c =
            s3c.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + 2 * VECTOR_BYTES), ORDER));
      }
      s0a.intoMemorySegment(Memory.ALL, Memory.at(ct), ORDER);
      s0b.intoMemorySegment(Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER);
      s0c.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * VECTOR_BYTES), ORDER);
      s1a.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow), ORDER);
      s1b.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER);
      s1c.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + 2 * VECTOR_BYTES), ORDER);
      s2a.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow), ORDER);
      s2b.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER);
      s2c.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + 2 * VECTOR_BYTES), ORDER);
      s3a.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow), ORDER);
      s3b.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER);
      s3c.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + 2 * VECTOR_BYTES), ORDER);
    }
  }

  private static void tiles8x2(
      long aAt,
      long aRow,
      long aStep,
      long bAt,
      long bStep,
      int steps,
      long cAt,
      long cRow,
      int tiles,
      boolean add) {
    for (int t = 0; t < tiles; t++) {
      FloatVector s0a = FloatVector.zero(SPECIES);
      FloatVector s0b = FloatVector.zero(SPECIES);
      FloatVector s1a = FloatVector.zero(SPECIES);
      FloatVector s1b = FloatVector.zero(SPECIES);
      FloatVector s2a = FloatVector.zero(SPECIES);
      FloatVector s2b = FloatVector.zero(SPECIES);
      FloatVector s3a = FloatVector.zero(SPECIES);
      FloatVector s3b = FloatVector.zero(SPECIES);
      FloatVector s4a = FloatVector.zero(SPECIES);
      FloatVector s4b = FloatVector.zero(SPECIES);
      FloatVector s5a = FloatVector.zero(SPECIES);
      FloatVector s5b = FloatVector.zero(SPECIES);
      FloatVector s6a = FloatVector.zero(SPECIES);
      FloatVector s6b = FloatVector.zero(SPECIES);
      FloatVector s7a = FloatVector.zero(SPECIES);
      FloatVector s7b = FloatVector.zero(SPECIES);
      long at = aAt + t * (8 * aRow);
      long bt = bAt;
      for (int i = 0; i < steps; i++) {
        FloatVector ba = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt), ORDER);
        FloatVector bb =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt + VECTOR_BYTES), ORDER);
        FloatVector x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at)));
        s0a = x.fma(ba, s0a);
        s0b = x.fma(bb, s0b);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + aRow)));
        s1a = x.fma(ba, s1a);
        s1b = x.fma(bb, s1b);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 2 * aRow)));
        s2a = x.fma(ba, s2a);
        s2b = x.fma(bb, s2b);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 3 * aRow)));
        s3a = x.fma(ba, s3a);
        s3b = x.fma(bb, s3b);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 4 * aRow)));
        s4a = x.fma(ba, s4a);
        s4b = x.fma(bb, s4b);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 5 * aRow)));
        s5a = x.fma(ba, s5a);
        s5b = x.fma(bb, s5b);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 6 * aRow)));
        s6a = x.fma(ba, s6a);
        s6b = x.fma(bb, s6b);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 7 * aRow)));
        s7a = x.fma(ba, s7a);
        s7b = x.fma(bb, s7b);
        at += aStep;
        bt += bStep;
      }
      long ct = cAt + t * (8 * cRow);
      if (add) {
        s0a = s0a.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct), ORDER));
        s0b =
            s0b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER));
        s1a =
            s1a.add(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct + cRow), ORDER));
        s1b =
            s1b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER));
        s2a =
            s2a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow), ORDER));
        s2b =
            s2b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER));
        s3a =
            s3a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow), ORDER));
        s3b =
            s3b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER));
        s4a =
            s4a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 4 * cRow), ORDER));
        s4b =
            s4b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 4 * cRow + VECTOR_BYTES), ORDER));
        s5a =
            s5a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 5 * cRow), ORDER));
        s5b =
            s5b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 5 * cRow + VECTOR_BYTES), ORDER));
        s6a =
            s6a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 6 * cRow), ORDER));
        s6b =
            s6b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 6 * cRow + VECTOR_BYTES), ORDER));
        s7a =
            s7a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 7 * cRow), ORDER));
        s7b =
            s7b.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 7 * cRow + VECTOR_BYTES), ORDER));
      }
      s0a.intoMemorySegment(Memory.ALL, Memory.at(ct), ORDER);
      s0b.intoMemorySegment(Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER);
      s1a.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow), ORDER);
      s1b.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER);
      s2a.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow), ORDER);
      s2b.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER);
      s3a.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow), ORDER);
      s3b.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER);
      s4a.intoMemorySegment(Memory.ALL, Memory.at(ct + 4 * cRow), ORDER);
      s4b.intoMemorySegment(Memory.ALL, Memory.at(ct + 4 * cRow + VECTOR_BYTES), ORDER);
      s5a.intoMemorySegment(Memory.ALL, Memory.at(ct + 5 * cRow), ORDER);
      s5b.intoMemorySegment(Memory.ALL, Memory.at(ct + 5 * cRow + VECTOR_BYTES), ORDER);
      s6a.intoMemorySegment(Memory.ALL, Memory.at(ct + 6 * cRow), ORDER);
      s6b.intoMemorySegment(Memory.ALL, Memory.at(ct + 6 * cRow + VECTOR_BYTES), ORDER);
      s7a.intoMemorySegment(Memory.ALL, Memory.at(ct + 7 * cRow), ORDER);
      s7b.intoMemorySegment(Memory.ALL, Memory.at(ct + 7 * cRow + VECTOR_BYTES), ORDER);
    }
  }

  private static void tiles8x1(
      long aAt,
      long aRow,
      long aStep,
      long bAt,
      long bStep,
      int steps,
      long cAt,
      long cRow,
      int tiles,
      boolean add) {
    for (int t = 0; t < tiles; t++) {
      FloatVector s0a = FloatVector.zero(SPECIES);
      FloatVector s1a = FloatVector.zero(SPECIES);
      FloatVector s2a = FloatVector.zero(SPECIES);
      FloatVector s3a = FloatVector.zero(SPECIES);
      FloatVector s4a = FloatVector.zero(SPECIES);
      FloatVector s5a = FloatVector.zero(SPECIES);
      FloatVector s6a = FloatVector.zero(SPECIES);
      FloatVector s7a = FloatVector.zero(SPECIES);
      long at = aAt + t * (8 * aRow);
      long bt = bAt;
      for (int i = 0; i < steps; i++) {
        FloatVector ba = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt), ORDER);
        FloatVector x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at)));
        s0a = x.fma(ba, s0a);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + aRow)));
        s1a = x.fma(ba, s1a);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 2 * aRow)));
        s2a = x.fma(ba, s2a);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 3 * aRow)));
        s3a = x.fma(ba, s3a);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 4 * aRow)));
        s4a = x.fma(ba, s4a);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 5 * aRow)));
        s5a = x.fma(ba, s5a);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 6 * aRow)));
        s6a = x.fma(ba, s6a);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 7 * aRow)));
        s7a = x.fma(ba, s7a);
        at += aStep;
        bt += bStep;
      }
      long ct = cAt + t * (8 * cRow);
      if (add) {
        s0a = s0a.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct), ORDER));
        s1a =
            s1a.add(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct + cRow), ORDER));
        s2a =
            s2a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow), ORDER));
        s3a =
            s3a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow), ORDER));
        s4a =
            s4a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 4 * cRow), ORDER));
        s5a =
            s5a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 5 * cRow), ORDER));
        s6a =
            s6a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 6 * cRow), ORDER));
        s7a =
            s7a.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 7 * cRow), ORDER));
      }
      s0a.intoMemorySegment(Memory.ALL, Memory.at(ct), ORDER);
      s1a.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow), ORDER);
      s2a.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow), ORDER);
      s3a.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow), ORDER);
      s4a.intoMemorySegment(Memory.ALL, Memory.at(ct + 4 * cRow), ORDER);
      s5a.intoMemorySegment(Memory.ALL, Memory.at(ct + 5 * cRow), ORDER);
      s6a.intoMemorySegment(Memory.ALL, Memory.at(ct + 6 * cRow), ORDER);
      s7a.intoMemorySegment(Memory.ALL, Memory.at(ct + 7 * cRow), ORDER);
    }
  }

  /// A strip of tiles: all rows of `A` against one panel of `B`, at most [#WIDTH] columns wide: `C
  /// (+)= A B`.
  ///
  /// A tile that is not written whole and afresh takes the way over `spare`.
  ///
  /// @param rows rows of `A`, any number
  /// @param padded whether `A` may be read up to a multiple of [#ROWS] rows
  /// @param bStep whole vectors: the padded width of the panel in bytes
  /// @param cols columns to write, `1..WIDTH`
  /// @param add whether to add to what is in `C`
  /// @param spare memory for one tile, of which the last [#TILE_BYTES] are used
  public static void strip(
      MemorySegment a,
      long aAt,
      long aRow,
      long aStep,
      int rows,
      boolean padded,
      MemorySegment b,
      long bAt,
      long bStep,
      int steps,
      MemorySegment c,
      long cAt,
      long cRow,
      int cols,
      boolean add,
      MemorySegment spare) {
    int vectors = Math.ceilDiv(cols, LANES);
    int height = height(vectors);
    int direct = cols == vectors * LANES ? rows / height : 0;
    long row = vectors * VECTOR_BYTES;
    int told = padded ? Math.ceilDiv(rows, height) * height : rows;
    long x = Memory.address(a, aAt, (told - 1) * aRow + (steps - 1L) * aStep + Float.BYTES);
    long y = Memory.address(b, bAt, (steps - 1L) * bStep + row);
    long z = Memory.address(c, cAt, (rows - 1) * cRow + (long) cols * Float.BYTES);
    long tile = Memory.address(spare, spare.byteSize() - TILE_BYTES, TILE_BYTES);
    tiles(height, vectors, x, aRow, aStep, y, bStep, steps, z, cRow, direct, add);
    for (int r = direct * height; r < rows; r += height) {
      if (r + height > rows && !padded) {
        height = 1;
      }
      tiles(height, vectors, x + r * aRow, aRow, aStep, y, bStep, steps, tile, row, 1, false);
      settle(tile, row, Math.min(height, rows - r), z + r * cRow, cRow, cols, add);
    }
    Memory.keep(a, b, c);
  }

  private static void tiles(
      int height,
      int vectors,
      long aAt,
      long aRow,
      long aStep,
      long bAt,
      long bStep,
      int steps,
      long cAt,
      long cRow,
      int tiles,
      boolean add) {
    if (height == 1) {
      row(vectors, aAt, aStep, bAt, bStep, steps, cAt);
      return;
    }
    switch (vectors) {
      case 4 -> tiles4x4(aAt, aRow, aStep, bAt, bStep, steps, cAt, cRow, tiles, add);
      case 3 -> tiles4x3(aAt, aRow, aStep, bAt, bStep, steps, cAt, cRow, tiles, add);
      case 2 -> tiles8x2(aAt, aRow, aStep, bAt, bStep, steps, cAt, cRow, tiles, add);
      default -> tiles8x1(aAt, aRow, aStep, bAt, bStep, steps, cAt, cRow, tiles, add);
    }
  }

  /// A single row of `C`, for what is left below the last whole tile.
  private static void row(
      int vectors, long aAt, long aStep, long bAt, long bStep, int steps, long cAt) {
    for (int v = 0; v < vectors; v++) {
      FloatVector sum = FloatVector.zero(SPECIES);
      for (int i = 0; i < steps; i++) {
        FloatVector x =
            FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(aAt + i * aStep)));
        sum = x.fma(load(bAt + i * bStep + v * VECTOR_BYTES), sum);
      }
      sum.intoMemorySegment(Memory.ALL, Memory.at(cAt + v * VECTOR_BYTES), ORDER);
    }
  }

  private static int height(int vectors) {
    return vectors <= 2 ? 8 : 4;
  }

  /// Moves the valid part of a tile from the spare memory to its place.
  private static void settle(
      long at, long row, int rows, long cAt, long cRow, int cols, boolean add) {
    for (int r = 0; r < rows; r++) {
      for (int j = 0; j < cols; j += LANES) {
        long to = Memory.at(cAt + r * cRow + (long) j * Float.BYTES);
        FloatVector sum = load(at + r * row + (long) j * Float.BYTES);
        if (j + LANES <= cols) {
          (add ? sum.add(load(to)) : sum).intoMemorySegment(Memory.ALL, to, ORDER);
        } else {
          VectorMask<Float> inside = SPECIES.indexInRange(j, cols);
          FloatVector old = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, to, ORDER, inside);
          (add ? sum.add(old) : sum).intoMemorySegment(Memory.ALL, to, ORDER, inside);
        }
      }
    }
  }

  private static FloatVector load(long address) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(address), ORDER);
  }
}
