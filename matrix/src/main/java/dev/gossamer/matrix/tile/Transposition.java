package dev.gossamer.matrix.tile;

import dev.gossamer.matrix.memory.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/// Transposes pieces of float32 matrices, a square of as many rows as a vector has lanes at a time.
///
/// A square is transposed by exchanging its off-diagonal halves, then those of its quarters, and so
/// on, in an array that stays in the first-level cache: about three times as fast as one element
/// after the other.
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

  /// `to[j][i] = from[i][j]`, by address.
  ///
  /// @param from address of the first element
  /// @param pitch bytes from row to row of `from`
  /// @param rows rows of `from`
  /// @param cols columns of `from`
  /// @param to address of the first element of the result
  /// @param toPitch bytes from row to row of `to`
  /// @param pad whether rows of `to` are filled up with zeros to whole vectors; otherwise nothing
  ///   behind their last element is written
  /// @param tile [#TILE] floats of scratch
  public static void transpose(
      long from, long pitch, int rows, int cols, long to, long toPitch, boolean pad, float[] tile) {
    for (int i = 0; i < rows; i += LANES) {
      int height = Math.min(LANES, rows - i);
      for (int j = 0; j < cols; j += LANES) {
        int width = Math.min(LANES, cols - j);
        load(from + i * pitch + (long) j * Float.BYTES, pitch, height, width, tile);
        exchange(tile);
        long target = to + j * toPitch + (long) i * Float.BYTES;
        store(tile, target, toPitch, width, pad ? LANES : height);
      }
    }
  }

  private static void load(long from, long pitch, int rows, int cols, float[] tile) {
    if (cols == LANES) {
      for (int i = 0; i < rows; i++) {
        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from + i * pitch), ORDER)
            .intoArray(tile, i * LANES);
      }
    } else {
      VectorMask<Float> inside = SPECIES.indexInRange(0, cols);
      for (int i = 0; i < rows; i++) {
        FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(from + i * pitch), ORDER, inside)
            .intoArray(tile, i * LANES);
      }
    }
    for (int i = rows; i < LANES; i++) {
      FloatVector.zero(SPECIES).intoArray(tile, i * LANES);
    }
  }

  private static void exchange(float[] tile) {
    if (LANES > 8) {
      exchange(tile, 8, UPPER_8, SWAP_8);
    }
    if (LANES > 4) {
      exchange(tile, 4, UPPER_4, SWAP_4);
    }
    if (LANES > 2) {
      exchange(tile, 2, UPPER_2, SWAP_2);
    }
    exchange(tile, 1, UPPER_1, SWAP_1);
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

  private static void store(float[] tile, long to, long pitch, int rows, int cols) {
    if (cols == LANES) {
      for (int i = 0; i < rows; i++) {
        FloatVector.fromArray(SPECIES, tile, i * LANES)
            .intoMemorySegment(Memory.ALL, Memory.at(to + i * pitch), ORDER);
      }
    } else {
      VectorMask<Float> inside = SPECIES.indexInRange(0, cols);
      for (int i = 0; i < rows; i++) {
        FloatVector.fromArray(SPECIES, tile, i * LANES)
            .intoMemorySegment(Memory.ALL, Memory.at(to + i * pitch), ORDER, inside);
      }
    }
  }
}
