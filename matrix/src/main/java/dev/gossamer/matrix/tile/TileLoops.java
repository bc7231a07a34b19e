// Generated from src/templates/dev/gossamer/matrix/tile/TileLoops.template; do not edit.
package dev.gossamer.matrix.tile;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The loops of [Tiles], one for each size of a tile.
///
/// The accumulators are named, because the compiler keeps no array of vectors in registers. Sixteen
/// of them hide the latency of the multiply-add and leave registers for the operands.
final class TileLoops {
  private static final VectorSpecies<Float> SPECIES = Tiles.SPECIES;
  private static final long VECTOR_BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private TileLoops() {}

  /// `tiles` tiles of 4 rows and 4 vectors, one below the other; see [Tiles].
  static void tiles4x4(
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
      long at = aAt + t * (4 * aRow);
      long bt = bAt;
      for (int i = 0; i < steps; i++) {
        FloatVector b0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt), ORDER);
        FloatVector b1 =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt + VECTOR_BYTES), ORDER);
        FloatVector b2 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(bt + 2 * VECTOR_BYTES), ORDER);
        FloatVector b3 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(bt + 3 * VECTOR_BYTES), ORDER);
        FloatVector x;
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at)));
        s00 = x.fma(b0, s00);
        s01 = x.fma(b1, s01);
        s02 = x.fma(b2, s02);
        s03 = x.fma(b3, s03);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + aRow)));
        s10 = x.fma(b0, s10);
        s11 = x.fma(b1, s11);
        s12 = x.fma(b2, s12);
        s13 = x.fma(b3, s13);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 2 * aRow)));
        s20 = x.fma(b0, s20);
        s21 = x.fma(b1, s21);
        s22 = x.fma(b2, s22);
        s23 = x.fma(b3, s23);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 3 * aRow)));
        s30 = x.fma(b0, s30);
        s31 = x.fma(b1, s31);
        s32 = x.fma(b2, s32);
        s33 = x.fma(b3, s33);
        at += aStep;
        bt += bStep;
      }
      long ct = cAt + t * (4 * cRow);
      if (add) {
        s00 = s00.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct), ORDER));
        s01 =
            s01.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER));
        s02 =
            s02.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * VECTOR_BYTES), ORDER));
        s03 =
            s03.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * VECTOR_BYTES), ORDER));
        s10 =
            s10.add(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct + cRow), ORDER));
        s11 =
            s11.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER));
        s12 =
            s12.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + 2 * VECTOR_BYTES), ORDER));
        s13 =
            s13.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + 3 * VECTOR_BYTES), ORDER));
        s20 =
            s20.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow), ORDER));
        s21 =
            s21.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER));
        s22 =
            s22.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + 2 * VECTOR_BYTES), ORDER));
        s23 =
            s23.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + 3 * VECTOR_BYTES), ORDER));
        s30 =
            s30.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow), ORDER));
        s31 =
            s31.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER));
        s32 =
            s32.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + 2 * VECTOR_BYTES), ORDER));
        s33 =
            s33.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + 3 * VECTOR_BYTES), ORDER));
      }
      s00.intoMemorySegment(Memory.ALL, Memory.at(ct), ORDER);
      s01.intoMemorySegment(Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER);
      s02.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * VECTOR_BYTES), ORDER);
      s03.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * VECTOR_BYTES), ORDER);
      s10.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow), ORDER);
      s11.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER);
      s12.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + 2 * VECTOR_BYTES), ORDER);
      s13.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + 3 * VECTOR_BYTES), ORDER);
      s20.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow), ORDER);
      s21.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER);
      s22.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + 2 * VECTOR_BYTES), ORDER);
      s23.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + 3 * VECTOR_BYTES), ORDER);
      s30.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow), ORDER);
      s31.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER);
      s32.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + 2 * VECTOR_BYTES), ORDER);
      s33.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + 3 * VECTOR_BYTES), ORDER);
    }
  }

  /// `tiles` tiles of 4 rows and 3 vectors, one below the other; see [Tiles].
  static void tiles4x3(
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
      FloatVector s00 = FloatVector.zero(SPECIES);
      FloatVector s01 = FloatVector.zero(SPECIES);
      FloatVector s02 = FloatVector.zero(SPECIES);
      FloatVector s10 = FloatVector.zero(SPECIES);
      FloatVector s11 = FloatVector.zero(SPECIES);
      FloatVector s12 = FloatVector.zero(SPECIES);
      FloatVector s20 = FloatVector.zero(SPECIES);
      FloatVector s21 = FloatVector.zero(SPECIES);
      FloatVector s22 = FloatVector.zero(SPECIES);
      FloatVector s30 = FloatVector.zero(SPECIES);
      FloatVector s31 = FloatVector.zero(SPECIES);
      FloatVector s32 = FloatVector.zero(SPECIES);
      long at = aAt + t * (4 * aRow);
      long bt = bAt;
      for (int i = 0; i < steps; i++) {
        FloatVector b0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt), ORDER);
        FloatVector b1 =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt + VECTOR_BYTES), ORDER);
        FloatVector b2 =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(bt + 2 * VECTOR_BYTES), ORDER);
        FloatVector x;
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at)));
        s00 = x.fma(b0, s00);
        s01 = x.fma(b1, s01);
        s02 = x.fma(b2, s02);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + aRow)));
        s10 = x.fma(b0, s10);
        s11 = x.fma(b1, s11);
        s12 = x.fma(b2, s12);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 2 * aRow)));
        s20 = x.fma(b0, s20);
        s21 = x.fma(b1, s21);
        s22 = x.fma(b2, s22);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 3 * aRow)));
        s30 = x.fma(b0, s30);
        s31 = x.fma(b1, s31);
        s32 = x.fma(b2, s32);
        at += aStep;
        bt += bStep;
      }
      long ct = cAt + t * (4 * cRow);
      if (add) {
        s00 = s00.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct), ORDER));
        s01 =
            s01.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER));
        s02 =
            s02.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * VECTOR_BYTES), ORDER));
        s10 =
            s10.add(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct + cRow), ORDER));
        s11 =
            s11.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER));
        s12 =
            s12.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + 2 * VECTOR_BYTES), ORDER));
        s20 =
            s20.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow), ORDER));
        s21 =
            s21.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER));
        s22 =
            s22.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + 2 * VECTOR_BYTES), ORDER));
        s30 =
            s30.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow), ORDER));
        s31 =
            s31.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER));
        s32 =
            s32.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + 2 * VECTOR_BYTES), ORDER));
      }
      s00.intoMemorySegment(Memory.ALL, Memory.at(ct), ORDER);
      s01.intoMemorySegment(Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER);
      s02.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * VECTOR_BYTES), ORDER);
      s10.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow), ORDER);
      s11.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER);
      s12.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + 2 * VECTOR_BYTES), ORDER);
      s20.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow), ORDER);
      s21.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER);
      s22.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + 2 * VECTOR_BYTES), ORDER);
      s30.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow), ORDER);
      s31.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER);
      s32.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + 2 * VECTOR_BYTES), ORDER);
    }
  }

  /// `tiles` tiles of 8 rows and 2 vectors, one below the other; see [Tiles].
  static void tiles8x2(
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
      FloatVector s00 = FloatVector.zero(SPECIES);
      FloatVector s01 = FloatVector.zero(SPECIES);
      FloatVector s10 = FloatVector.zero(SPECIES);
      FloatVector s11 = FloatVector.zero(SPECIES);
      FloatVector s20 = FloatVector.zero(SPECIES);
      FloatVector s21 = FloatVector.zero(SPECIES);
      FloatVector s30 = FloatVector.zero(SPECIES);
      FloatVector s31 = FloatVector.zero(SPECIES);
      FloatVector s40 = FloatVector.zero(SPECIES);
      FloatVector s41 = FloatVector.zero(SPECIES);
      FloatVector s50 = FloatVector.zero(SPECIES);
      FloatVector s51 = FloatVector.zero(SPECIES);
      FloatVector s60 = FloatVector.zero(SPECIES);
      FloatVector s61 = FloatVector.zero(SPECIES);
      FloatVector s70 = FloatVector.zero(SPECIES);
      FloatVector s71 = FloatVector.zero(SPECIES);
      long at = aAt + t * (8 * aRow);
      long bt = bAt;
      for (int i = 0; i < steps; i++) {
        FloatVector b0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt), ORDER);
        FloatVector b1 =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt + VECTOR_BYTES), ORDER);
        FloatVector x;
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at)));
        s00 = x.fma(b0, s00);
        s01 = x.fma(b1, s01);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + aRow)));
        s10 = x.fma(b0, s10);
        s11 = x.fma(b1, s11);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 2 * aRow)));
        s20 = x.fma(b0, s20);
        s21 = x.fma(b1, s21);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 3 * aRow)));
        s30 = x.fma(b0, s30);
        s31 = x.fma(b1, s31);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 4 * aRow)));
        s40 = x.fma(b0, s40);
        s41 = x.fma(b1, s41);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 5 * aRow)));
        s50 = x.fma(b0, s50);
        s51 = x.fma(b1, s51);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 6 * aRow)));
        s60 = x.fma(b0, s60);
        s61 = x.fma(b1, s61);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 7 * aRow)));
        s70 = x.fma(b0, s70);
        s71 = x.fma(b1, s71);
        at += aStep;
        bt += bStep;
      }
      long ct = cAt + t * (8 * cRow);
      if (add) {
        s00 = s00.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct), ORDER));
        s01 =
            s01.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER));
        s10 =
            s10.add(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct + cRow), ORDER));
        s11 =
            s11.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER));
        s20 =
            s20.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow), ORDER));
        s21 =
            s21.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER));
        s30 =
            s30.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow), ORDER));
        s31 =
            s31.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER));
        s40 =
            s40.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 4 * cRow), ORDER));
        s41 =
            s41.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 4 * cRow + VECTOR_BYTES), ORDER));
        s50 =
            s50.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 5 * cRow), ORDER));
        s51 =
            s51.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 5 * cRow + VECTOR_BYTES), ORDER));
        s60 =
            s60.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 6 * cRow), ORDER));
        s61 =
            s61.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 6 * cRow + VECTOR_BYTES), ORDER));
        s70 =
            s70.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 7 * cRow), ORDER));
        s71 =
            s71.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 7 * cRow + VECTOR_BYTES), ORDER));
      }
      s00.intoMemorySegment(Memory.ALL, Memory.at(ct), ORDER);
      s01.intoMemorySegment(Memory.ALL, Memory.at(ct + VECTOR_BYTES), ORDER);
      s10.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow), ORDER);
      s11.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow + VECTOR_BYTES), ORDER);
      s20.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow), ORDER);
      s21.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow + VECTOR_BYTES), ORDER);
      s30.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow), ORDER);
      s31.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow + VECTOR_BYTES), ORDER);
      s40.intoMemorySegment(Memory.ALL, Memory.at(ct + 4 * cRow), ORDER);
      s41.intoMemorySegment(Memory.ALL, Memory.at(ct + 4 * cRow + VECTOR_BYTES), ORDER);
      s50.intoMemorySegment(Memory.ALL, Memory.at(ct + 5 * cRow), ORDER);
      s51.intoMemorySegment(Memory.ALL, Memory.at(ct + 5 * cRow + VECTOR_BYTES), ORDER);
      s60.intoMemorySegment(Memory.ALL, Memory.at(ct + 6 * cRow), ORDER);
      s61.intoMemorySegment(Memory.ALL, Memory.at(ct + 6 * cRow + VECTOR_BYTES), ORDER);
      s70.intoMemorySegment(Memory.ALL, Memory.at(ct + 7 * cRow), ORDER);
      s71.intoMemorySegment(Memory.ALL, Memory.at(ct + 7 * cRow + VECTOR_BYTES), ORDER);
    }
  }

  /// `tiles` tiles of 8 rows and 1 vectors, one below the other; see [Tiles].
  static void tiles8x1(
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
      FloatVector s00 = FloatVector.zero(SPECIES);
      FloatVector s10 = FloatVector.zero(SPECIES);
      FloatVector s20 = FloatVector.zero(SPECIES);
      FloatVector s30 = FloatVector.zero(SPECIES);
      FloatVector s40 = FloatVector.zero(SPECIES);
      FloatVector s50 = FloatVector.zero(SPECIES);
      FloatVector s60 = FloatVector.zero(SPECIES);
      FloatVector s70 = FloatVector.zero(SPECIES);
      long at = aAt + t * (8 * aRow);
      long bt = bAt;
      for (int i = 0; i < steps; i++) {
        FloatVector b0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(bt), ORDER);
        FloatVector x;
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at)));
        s00 = x.fma(b0, s00);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + aRow)));
        s10 = x.fma(b0, s10);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 2 * aRow)));
        s20 = x.fma(b0, s20);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 3 * aRow)));
        s30 = x.fma(b0, s30);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 4 * aRow)));
        s40 = x.fma(b0, s40);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 5 * aRow)));
        s50 = x.fma(b0, s50);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 6 * aRow)));
        s60 = x.fma(b0, s60);
        x = FloatVector.broadcast(SPECIES, Memory.ALL.get(FLOAT, Memory.at(at + 7 * aRow)));
        s70 = x.fma(b0, s70);
        at += aStep;
        bt += bStep;
      }
      long ct = cAt + t * (8 * cRow);
      if (add) {
        s00 = s00.add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct), ORDER));
        s10 =
            s10.add(
                FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(ct + cRow), ORDER));
        s20 =
            s20.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 2 * cRow), ORDER));
        s30 =
            s30.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 3 * cRow), ORDER));
        s40 =
            s40.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 4 * cRow), ORDER));
        s50 =
            s50.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 5 * cRow), ORDER));
        s60 =
            s60.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 6 * cRow), ORDER));
        s70 =
            s70.add(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(ct + 7 * cRow), ORDER));
      }
      s00.intoMemorySegment(Memory.ALL, Memory.at(ct), ORDER);
      s10.intoMemorySegment(Memory.ALL, Memory.at(ct + cRow), ORDER);
      s20.intoMemorySegment(Memory.ALL, Memory.at(ct + 2 * cRow), ORDER);
      s30.intoMemorySegment(Memory.ALL, Memory.at(ct + 3 * cRow), ORDER);
      s40.intoMemorySegment(Memory.ALL, Memory.at(ct + 4 * cRow), ORDER);
      s50.intoMemorySegment(Memory.ALL, Memory.at(ct + 5 * cRow), ORDER);
      s60.intoMemorySegment(Memory.ALL, Memory.at(ct + 6 * cRow), ORDER);
      s70.intoMemorySegment(Memory.ALL, Memory.at(ct + 7 * cRow), ORDER);
    }
  }
}
