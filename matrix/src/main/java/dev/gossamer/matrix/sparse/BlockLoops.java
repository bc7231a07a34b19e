// Generated from src/templates/dev/gossamer/matrix/sparse/BlockLoops.template; do not edit.
package dev.gossamer.matrix.sparse;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The loops of [BlockProducts], for each width of a stripe in vectors, and for each number of
/// columns of a block whose dot products are summed up at a time.
///
/// The accumulators are named, because the compiler keeps no array of vectors in registers.
final class BlockLoops {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private BlockLoops() {}

  /// Rows of blocks for a stripe of 4 vectors.
  static void bands4(
      long starts,
      int count,
      long ids,
      long values,
      long row,
      long step,
      long x,
      long y,
      long pitch,
      boolean add) {
    long target = Memory.at(y);
    int e = Memory.ALL.get(INT, Memory.at(starts));
    for (int i = 1; i <= count; i++) {
      int end = Memory.ALL.get(INT, Memory.at(starts + (long) i * Integer.BYTES));
      FloatVector s00 = FloatVector.zero(SPECIES);
      FloatVector s01 = FloatVector.zero(SPECIES);
      FloatVector s02 = FloatVector.zero(SPECIES);
      FloatVector s03 = FloatVector.zero(SPECIES);
      FloatVector s10 = FloatVector.zero(SPECIES);
      FloatVector s11 = FloatVector.zero(SPECIES);
      FloatVector s12 = FloatVector.zero(SPECIES);
      FloatVector s13 = FloatVector.zero(SPECIES);
      FloatVector s20 = FloatVector.zero(SPECIES);
      FloatVector s21 = FloatVector.zero(SPECIES);
      FloatVector s22 = FloatVector.zero(SPECIES);
      FloatVector s23 = FloatVector.zero(SPECIES);
      FloatVector s30 = FloatVector.zero(SPECIES);
      FloatVector s31 = FloatVector.zero(SPECIES);
      FloatVector s32 = FloatVector.zero(SPECIES);
      FloatVector s33 = FloatVector.zero(SPECIES);
      if (add) {
        s00 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(target), ORDER);
        s01 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(target + BYTES), ORDER);
        s02 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 2 * BYTES), ORDER);
        s03 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 3 * BYTES), ORDER);
        s10 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(target + pitch), ORDER);
        s11 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + pitch + BYTES), ORDER);
        s12 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + pitch + 2 * BYTES), ORDER);
        s13 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + pitch + 3 * BYTES), ORDER);
        s20 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 2 * pitch), ORDER);
        s21 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 2 * pitch + BYTES), ORDER);
        s22 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 2 * pitch + 2 * BYTES), ORDER);
        s23 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 2 * pitch + 3 * BYTES), ORDER);
        s30 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 3 * pitch), ORDER);
        s31 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 3 * pitch + BYTES), ORDER);
        s32 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 3 * pitch + 2 * BYTES), ORDER);
        s33 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 3 * pitch + 3 * BYTES), ORDER);
      }
      for (; e < end; e++) {
        long id = Memory.ALL.get(ValueLayout.JAVA_BYTE, Memory.at(ids + e)) & 0xFFL;
        long at = values + e * BlockProducts.BLOCK_BYTES;
        long source = Memory.at(x + id * BlockProducts.SIDE * pitch);
        for (int j = 0; j < BlockProducts.SIDE; j++) {
          long from = Memory.at(source + j * pitch);
          FloatVector x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from, ORDER);
          FloatVector x1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from + BYTES, ORDER);
          FloatVector x2 =
              FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from + 2 * BYTES, ORDER);
          FloatVector x3 =
              FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from + 3 * BYTES, ORDER);
          long weight = at + j * step;
          FloatVector w;
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight)));
          s00 = w.fma(x0, s00);
          s01 = w.fma(x1, s01);
          s02 = w.fma(x2, s02);
          s03 = w.fma(x3, s03);
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight + row)));
          s10 = w.fma(x0, s10);
          s11 = w.fma(x1, s11);
          s12 = w.fma(x2, s12);
          s13 = w.fma(x3, s13);
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight + 2 * row)));
          s20 = w.fma(x0, s20);
          s21 = w.fma(x1, s21);
          s22 = w.fma(x2, s22);
          s23 = w.fma(x3, s23);
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight + 3 * row)));
          s30 = w.fma(x0, s30);
          s31 = w.fma(x1, s31);
          s32 = w.fma(x2, s32);
          s33 = w.fma(x3, s33);
        }
      }
      s00.intoMemorySegment(Memory.ALL, Memory.at(target), ORDER);
      s01.intoMemorySegment(Memory.ALL, Memory.at(target + BYTES), ORDER);
      s02.intoMemorySegment(Memory.ALL, Memory.at(target + 2 * BYTES), ORDER);
      s03.intoMemorySegment(Memory.ALL, Memory.at(target + 3 * BYTES), ORDER);
      s10.intoMemorySegment(Memory.ALL, Memory.at(target + pitch), ORDER);
      s11.intoMemorySegment(Memory.ALL, Memory.at(target + pitch + BYTES), ORDER);
      s12.intoMemorySegment(Memory.ALL, Memory.at(target + pitch + 2 * BYTES), ORDER);
      s13.intoMemorySegment(Memory.ALL, Memory.at(target + pitch + 3 * BYTES), ORDER);
      s20.intoMemorySegment(Memory.ALL, Memory.at(target + 2 * pitch), ORDER);
      s21.intoMemorySegment(Memory.ALL, Memory.at(target + 2 * pitch + BYTES), ORDER);
      s22.intoMemorySegment(Memory.ALL, Memory.at(target + 2 * pitch + 2 * BYTES), ORDER);
      s23.intoMemorySegment(Memory.ALL, Memory.at(target + 2 * pitch + 3 * BYTES), ORDER);
      s30.intoMemorySegment(Memory.ALL, Memory.at(target + 3 * pitch), ORDER);
      s31.intoMemorySegment(Memory.ALL, Memory.at(target + 3 * pitch + BYTES), ORDER);
      s32.intoMemorySegment(Memory.ALL, Memory.at(target + 3 * pitch + 2 * BYTES), ORDER);
      s33.intoMemorySegment(Memory.ALL, Memory.at(target + 3 * pitch + 3 * BYTES), ORDER);
      target = Memory.at(target + BlockProducts.SIDE * pitch);
    }
  }

  /// Rows of blocks for a stripe of 2 vectors.
  static void bands2(
      long starts,
      int count,
      long ids,
      long values,
      long row,
      long step,
      long x,
      long y,
      long pitch,
      boolean add) {
    long target = Memory.at(y);
    int e = Memory.ALL.get(INT, Memory.at(starts));
    for (int i = 1; i <= count; i++) {
      int end = Memory.ALL.get(INT, Memory.at(starts + (long) i * Integer.BYTES));
      FloatVector s00 = FloatVector.zero(SPECIES);
      FloatVector s01 = FloatVector.zero(SPECIES);
      FloatVector s10 = FloatVector.zero(SPECIES);
      FloatVector s11 = FloatVector.zero(SPECIES);
      FloatVector s20 = FloatVector.zero(SPECIES);
      FloatVector s21 = FloatVector.zero(SPECIES);
      FloatVector s30 = FloatVector.zero(SPECIES);
      FloatVector s31 = FloatVector.zero(SPECIES);
      if (add) {
        s00 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(target), ORDER);
        s01 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(target + BYTES), ORDER);
        s10 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(target + pitch), ORDER);
        s11 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + pitch + BYTES), ORDER);
        s20 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 2 * pitch), ORDER);
        s21 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 2 * pitch + BYTES), ORDER);
        s30 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 3 * pitch), ORDER);
        s31 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 3 * pitch + BYTES), ORDER);
      }
      for (; e < end; e++) {
        long id = Memory.ALL.get(ValueLayout.JAVA_BYTE, Memory.at(ids + e)) & 0xFFL;
        long at = values + e * BlockProducts.BLOCK_BYTES;
        long source = Memory.at(x + id * BlockProducts.SIDE * pitch);
        for (int j = 0; j < BlockProducts.SIDE; j++) {
          long from = Memory.at(source + j * pitch);
          FloatVector x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from, ORDER);
          FloatVector x1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from + BYTES, ORDER);
          long weight = at + j * step;
          FloatVector w;
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight)));
          s00 = w.fma(x0, s00);
          s01 = w.fma(x1, s01);
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight + row)));
          s10 = w.fma(x0, s10);
          s11 = w.fma(x1, s11);
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight + 2 * row)));
          s20 = w.fma(x0, s20);
          s21 = w.fma(x1, s21);
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight + 3 * row)));
          s30 = w.fma(x0, s30);
          s31 = w.fma(x1, s31);
        }
      }
      s00.intoMemorySegment(Memory.ALL, Memory.at(target), ORDER);
      s01.intoMemorySegment(Memory.ALL, Memory.at(target + BYTES), ORDER);
      s10.intoMemorySegment(Memory.ALL, Memory.at(target + pitch), ORDER);
      s11.intoMemorySegment(Memory.ALL, Memory.at(target + pitch + BYTES), ORDER);
      s20.intoMemorySegment(Memory.ALL, Memory.at(target + 2 * pitch), ORDER);
      s21.intoMemorySegment(Memory.ALL, Memory.at(target + 2 * pitch + BYTES), ORDER);
      s30.intoMemorySegment(Memory.ALL, Memory.at(target + 3 * pitch), ORDER);
      s31.intoMemorySegment(Memory.ALL, Memory.at(target + 3 * pitch + BYTES), ORDER);
      target = Memory.at(target + BlockProducts.SIDE * pitch);
    }
  }

  /// Rows of blocks for a stripe of 1 vectors.
  static void bands1(
      long starts,
      int count,
      long ids,
      long values,
      long row,
      long step,
      long x,
      long y,
      long pitch,
      boolean add) {
    long target = Memory.at(y);
    int e = Memory.ALL.get(INT, Memory.at(starts));
    for (int i = 1; i <= count; i++) {
      int end = Memory.ALL.get(INT, Memory.at(starts + (long) i * Integer.BYTES));
      FloatVector s00 = FloatVector.zero(SPECIES);
      FloatVector s10 = FloatVector.zero(SPECIES);
      FloatVector s20 = FloatVector.zero(SPECIES);
      FloatVector s30 = FloatVector.zero(SPECIES);
      if (add) {
        s00 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(target), ORDER);
        s10 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(target + pitch), ORDER);
        s20 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 2 * pitch), ORDER);
        s30 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(target + 3 * pitch), ORDER);
      }
      for (; e < end; e++) {
        long id = Memory.ALL.get(ValueLayout.JAVA_BYTE, Memory.at(ids + e)) & 0xFFL;
        long at = values + e * BlockProducts.BLOCK_BYTES;
        long source = Memory.at(x + id * BlockProducts.SIDE * pitch);
        for (int j = 0; j < BlockProducts.SIDE; j++) {
          long from = Memory.at(source + j * pitch);
          FloatVector x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from, ORDER);
          long weight = at + j * step;
          FloatVector w;
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight)));
          s00 = w.fma(x0, s00);
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight + row)));
          s10 = w.fma(x0, s10);
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight + 2 * row)));
          s20 = w.fma(x0, s20);
          w = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(weight + 3 * row)));
          s30 = w.fma(x0, s30);
        }
      }
      s00.intoMemorySegment(Memory.ALL, Memory.at(target), ORDER);
      s10.intoMemorySegment(Memory.ALL, Memory.at(target + pitch), ORDER);
      s20.intoMemorySegment(Memory.ALL, Memory.at(target + 2 * pitch), ORDER);
      s30.intoMemorySegment(Memory.ALL, Memory.at(target + 3 * pitch), ORDER);
      target = Memory.at(target + BlockProducts.SIDE * pitch);
    }
  }

  /// The dot products of four rows with 4 others, lane by lane.
  ///
  /// @param left address of the first of the four
  /// @param right address of the first of the others
  /// @param pitch bytes from row to row of both
  /// @param bytes of a row of both: whole vectors
  /// @param to overwritten from `at` on: four vectors for each of the others' columns, row by row
  /// @param step floats from a row of results to the next
  static void dots4(long left, long right, long pitch, long bytes, float[] to, int at, int step) {
    FloatVector s00 = FloatVector.zero(SPECIES);
    FloatVector s01 = FloatVector.zero(SPECIES);
    FloatVector s02 = FloatVector.zero(SPECIES);
    FloatVector s03 = FloatVector.zero(SPECIES);
    FloatVector s10 = FloatVector.zero(SPECIES);
    FloatVector s11 = FloatVector.zero(SPECIES);
    FloatVector s12 = FloatVector.zero(SPECIES);
    FloatVector s13 = FloatVector.zero(SPECIES);
    FloatVector s20 = FloatVector.zero(SPECIES);
    FloatVector s21 = FloatVector.zero(SPECIES);
    FloatVector s22 = FloatVector.zero(SPECIES);
    FloatVector s23 = FloatVector.zero(SPECIES);
    FloatVector s30 = FloatVector.zero(SPECIES);
    FloatVector s31 = FloatVector.zero(SPECIES);
    FloatVector s32 = FloatVector.zero(SPECIES);
    FloatVector s33 = FloatVector.zero(SPECIES);
    long x = left;
    long t = right;
    int steps = (int) (bytes / BYTES);
    for (int i = 0; i < steps; i++) {
      FloatVector t0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(t), ORDER);
      FloatVector t1 =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(t + pitch), ORDER);
      FloatVector t2 =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(t + 2 * pitch), ORDER);
      FloatVector t3 =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(t + 3 * pitch), ORDER);
      FloatVector x0;
      x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(x), ORDER);
      s00 = x0.fma(t0, s00);
      s01 = x0.fma(t1, s01);
      s02 = x0.fma(t2, s02);
      s03 = x0.fma(t3, s03);
      x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(x + pitch), ORDER);
      s10 = x0.fma(t0, s10);
      s11 = x0.fma(t1, s11);
      s12 = x0.fma(t2, s12);
      s13 = x0.fma(t3, s13);
      x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(x + 2 * pitch), ORDER);
      s20 = x0.fma(t0, s20);
      s21 = x0.fma(t1, s21);
      s22 = x0.fma(t2, s22);
      s23 = x0.fma(t3, s23);
      x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(x + 3 * pitch), ORDER);
      s30 = x0.fma(t0, s30);
      s31 = x0.fma(t1, s31);
      s32 = x0.fma(t2, s32);
      s33 = x0.fma(t3, s33);
      x += BYTES;
      t += BYTES;
    }
    s00.intoArray(to, at);
    s01.intoArray(to, at + LANES);
    s02.intoArray(to, at + 2 * LANES);
    s03.intoArray(to, at + 3 * LANES);
    s10.intoArray(to, at + step);
    s11.intoArray(to, at + step + LANES);
    s12.intoArray(to, at + step + 2 * LANES);
    s13.intoArray(to, at + step + 3 * LANES);
    s20.intoArray(to, at + 2 * step);
    s21.intoArray(to, at + 2 * step + LANES);
    s22.intoArray(to, at + 2 * step + 2 * LANES);
    s23.intoArray(to, at + 2 * step + 3 * LANES);
    s30.intoArray(to, at + 3 * step);
    s31.intoArray(to, at + 3 * step + LANES);
    s32.intoArray(to, at + 3 * step + 2 * LANES);
    s33.intoArray(to, at + 3 * step + 3 * LANES);
  }

  /// The dot products of four rows with 2 others, lane by lane.
  ///
  /// @param left address of the first of the four
  /// @param right address of the first of the others
  /// @param pitch bytes from row to row of both
  /// @param bytes of a row of both: whole vectors
  /// @param to overwritten from `at` on: four vectors for each of the others' columns, row by row
  /// @param step floats from a row of results to the next
  static void dots2(long left, long right, long pitch, long bytes, float[] to, int at, int step) {
    FloatVector s00 = FloatVector.zero(SPECIES);
    FloatVector s01 = FloatVector.zero(SPECIES);
    FloatVector s10 = FloatVector.zero(SPECIES);
    FloatVector s11 = FloatVector.zero(SPECIES);
    FloatVector s20 = FloatVector.zero(SPECIES);
    FloatVector s21 = FloatVector.zero(SPECIES);
    FloatVector s30 = FloatVector.zero(SPECIES);
    FloatVector s31 = FloatVector.zero(SPECIES);
    long x = left;
    long t = right;
    int steps = (int) (bytes / BYTES);
    for (int i = 0; i < steps; i++) {
      FloatVector t0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(t), ORDER);
      FloatVector t1 =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(t + pitch), ORDER);
      FloatVector x0;
      x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(x), ORDER);
      s00 = x0.fma(t0, s00);
      s01 = x0.fma(t1, s01);
      x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(x + pitch), ORDER);
      s10 = x0.fma(t0, s10);
      s11 = x0.fma(t1, s11);
      x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(x + 2 * pitch), ORDER);
      s20 = x0.fma(t0, s20);
      s21 = x0.fma(t1, s21);
      x0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(x + 3 * pitch), ORDER);
      s30 = x0.fma(t0, s30);
      s31 = x0.fma(t1, s31);
      x += BYTES;
      t += BYTES;
    }
    s00.intoArray(to, at);
    s01.intoArray(to, at + LANES);
    s10.intoArray(to, at + step);
    s11.intoArray(to, at + step + LANES);
    s20.intoArray(to, at + 2 * step);
    s21.intoArray(to, at + 2 * step + LANES);
    s30.intoArray(to, at + 3 * step);
    s31.intoArray(to, at + 3 * step + LANES);
  }
}
