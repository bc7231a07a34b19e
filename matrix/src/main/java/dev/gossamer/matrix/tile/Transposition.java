package dev.gossamer.matrix.tile;

import dev.gossamer.base.memory.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/// Transposes parts of float32 matrices, in squares with the side of a vector's lanes.
///
/// A square is transposed by exchanging its off-diagonal halves, then those of its quarters, and so
/// on: two such steps on four rows in registers when writing to an array in the first-level cache,
/// and two when reading from it. About 5x faster than element by element.
public final class Transposition {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// Floats of the array that a transposition needs.
  static final int TILE = LANES * LANES;

  private static final VectorShuffle<Float> SWAP_8 = Lanes.swap(8);
  private static final VectorShuffle<Float> SWAP_4 = Lanes.swap(4);
  private static final VectorShuffle<Float> SWAP_2 = Lanes.swap(2);
  private static final VectorShuffle<Float> SWAP_1 = Lanes.swap(1);
  private static final VectorMask<Float> UPPER_8 = Lanes.upper(8);
  private static final VectorMask<Float> UPPER_4 = Lanes.upper(4);
  private static final VectorMask<Float> UPPER_2 = Lanes.upper(2);
  private static final VectorMask<Float> UPPER_1 = Lanes.upper(1);

  private Transposition() {}

  /// Computes `to[j][i] = from[i][j]`, by address.
  ///
  /// @param from address of the first element
  /// @param pitch bytes from row to row of `from`
  /// @param rows rows of `from`
  /// @param cols columns of `from`
  /// @param to address of the first element of the result
  /// @param toPitch bytes from row to row of `to`
  /// @param pad whether rows of `to` are filled up with zeros to whole vectors; otherwise nothing
  ///   is written after their last element
  /// @param tile [#TILE] floats of scratch
  public static void transpose(
      long from, long pitch, int rows, int cols, long to, long toPitch, boolean pad, float[] tile) {
    for (int i = 0; i < rows; i += LANES) {
      int height = Math.min(LANES, rows - i);
      for (int j = 0; j < cols; j += LANES) {
        int width = Math.min(LANES, cols - j);
        load(from + i * pitch + (long) j * Float.BYTES, pitch, height, width, tile);
        if (LANES > 4 && LANES < 16) {
          exchange(tile, 4, UPPER_4, SWAP_4);
        }
        long target = to + j * toPitch + (long) i * Float.BYTES;
        store(tile, target, toPitch, width, pad ? LANES : height);
      }
    }
  }

  /// Loads a square, with exchanges of halves and quarters where there are four times four rows.
  private static void load(long from, long pitch, int rows, int cols, float[] tile) {
    if (LANES == 16 && rows == LANES && cols == LANES) {
      for (int k = 0; k < LANES / 4; k++) {
        loadFour(from + k * pitch, LANES / 4 * pitch, tile, k * LANES);
      }
      return;
    }
    VectorMask<Float> inside = SPECIES.indexInRange(0, cols);
    for (int i = 0; i < rows; i++) {
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from + i * pitch), ORDER, inside)
          .intoArray(tile, i * LANES);
    }
    for (int i = rows; i < LANES; i++) {
      FloatVector.zero(SPECIES).intoArray(tile, i * LANES);
    }
    if (LANES == 16) {
      exchange(tile, 8, UPPER_8, SWAP_8);
      exchange(tile, 4, UPPER_4, SWAP_4);
    }
  }

  /// Loads every fourth row from one on, and exchanges halves and quarters.
  private static void loadFour(long from, long step, float[] tile, int at) {
    FloatVector a = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from), ORDER);
    FloatVector b =
        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from + step), ORDER);
    FloatVector c =
        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from + 2 * step), ORDER);
    FloatVector d =
        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from + 3 * step), ORDER);
    FloatVector e = a.blend(c.rearrange(SWAP_8), UPPER_8);
    FloatVector f = b.blend(d.rearrange(SWAP_8), UPPER_8);
    FloatVector g = a.rearrange(SWAP_8).blend(c, UPPER_8);
    FloatVector h = b.rearrange(SWAP_8).blend(d, UPPER_8);
    e.blend(f.rearrange(SWAP_4), UPPER_4).intoArray(tile, at);
    e.rearrange(SWAP_4).blend(f, UPPER_4).intoArray(tile, at + 4 * LANES);
    g.blend(h.rearrange(SWAP_4), UPPER_4).intoArray(tile, at + 8 * LANES);
    g.rearrange(SWAP_4).blend(h, UPPER_4).intoArray(tile, at + 12 * LANES);
  }

  /// Exchanges the upper right and lower left quarters of each square of `2 half` rows.
  private static void exchange(
      float[] tile, int half, VectorMask<Float> upper, VectorShuffle<Float> swap) {
    for (int k = 0; k < LANES / 2; k++) {
      int i = (k + (k & -half)) * LANES;
      int j = i + half * LANES;
      FloatVector first = FloatVector.fromArray(SPECIES, tile, i);
      FloatVector second = FloatVector.fromArray(SPECIES, tile, j);
      first.blend(second.rearrange(swap), upper).intoArray(tile, i);
      first.rearrange(swap).blend(second, upper).intoArray(tile, j);
    }
  }

  /// Stores a square, with exchanges within squares of four and of two.
  private static void store(float[] tile, long to, long pitch, int rows, int cols) {
    if (rows == LANES && cols == LANES) {
      for (int i = 0; i < rows; i += 4) {
        storeFour(tile, i * LANES, to + i * pitch, pitch);
      }
      return;
    }
    exchange(tile, 2, UPPER_2, SWAP_2);
    exchange(tile, 1, UPPER_1, SWAP_1);
    VectorMask<Float> inside = SPECIES.indexInRange(0, cols);
    for (int i = 0; i < rows; i++) {
      FloatVector.fromArray(SPECIES, tile, i * LANES)
          .intoMemorySegment(Memory.ALL, Memory.at(to + i * pitch), ORDER, inside);
    }
  }

  private static void storeFour(float[] tile, int at, long to, long pitch) {
    FloatVector a = FloatVector.fromArray(SPECIES, tile, at);
    FloatVector b = FloatVector.fromArray(SPECIES, tile, at + LANES);
    FloatVector c = FloatVector.fromArray(SPECIES, tile, at + 2 * LANES);
    FloatVector d = FloatVector.fromArray(SPECIES, tile, at + 3 * LANES);
    FloatVector e = a.blend(c.rearrange(SWAP_2), UPPER_2);
    FloatVector f = b.blend(d.rearrange(SWAP_2), UPPER_2);
    FloatVector g = a.rearrange(SWAP_2).blend(c, UPPER_2);
    FloatVector h = b.rearrange(SWAP_2).blend(d, UPPER_2);
    e.blend(f.rearrange(SWAP_1), UPPER_1).intoMemorySegment(Memory.ALL, Memory.at(to), ORDER);
    e.rearrange(SWAP_1)
        .blend(f, UPPER_1)
        .intoMemorySegment(Memory.ALL, Memory.at(to + pitch), ORDER);
    g.blend(h.rearrange(SWAP_1), UPPER_1)
        .intoMemorySegment(Memory.ALL, Memory.at(to + 2 * pitch), ORDER);
    g.rearrange(SWAP_1)
        .blend(h, UPPER_1)
        .intoMemorySegment(Memory.ALL, Memory.at(to + 3 * pitch), ORDER);
  }
}
