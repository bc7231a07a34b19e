package dev.gossamer.matrix.tile;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// The innermost step of a dense product: a small tile of the result, in registers, accumulates
/// outer products.
///
/// A tile of `R` rows and `V` vectors ([TileLoops]) is, for `r < R` and the columns `j` of `V`
/// vectors, `C[r][j] = sum over i < steps of A[r][i] * B[i][j]`. All positions and strides are in
/// bytes: `A[r][i]` is the float at `aAt + r aRow + i aStep`, so that one kernel serves an operand
/// and its transpose; row `i` of `B` begins at `bAt + i bStep` and has `V` whole vectors; row `r`
/// of `C` begins at `cAt + r cRow`. The whole tile is overwritten. Its sum runs over `i` in
/// ascending order, from zero.
///
/// The tiles use addresses ([Memory]), whose bounds [#strip] checks.
public final class Tiles {
  /// The vector species of all tiles.
  public static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

  /// Number of floats in a vector.
  public static final int LANES = SPECIES.length();

  /// Number of columns of the widest tile.
  public static final int WIDTH = 4 * LANES;

  /// A multiple of the rows of every tile.
  public static final int ROWS = 16;

  /// Bytes of spare memory that [#strip] needs: the largest tile.
  public static final int TILE_BYTES = 16 * LANES * Float.BYTES;

  private static final long VECTOR_BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private Tiles() {}

  /// Computes a strip of tiles: all rows of `A` times one panel of `B`, at most [#WIDTH] columns
  /// wide: `C (+)= A B`.
  ///
  /// A tile that is partial or added to existing values is computed in `spare`.
  ///
  /// @param a `A`, or its transpose
  /// @param rows number of rows of `A`
  /// @param padded whether `A` may be read up to a multiple of [#ROWS] rows
  /// @param b the panel, with contiguous rows of whole vectors
  /// @param steps number of columns of `A` and rows of `B`
  /// @param c `C`, with contiguous rows
  /// @param cols columns to write, `1..WIDTH`
  /// @param add whether to add to `C` or to overwrite it
  /// @param spare memory for one tile, of which the last [#TILE_BYTES] are used
  public static void strip(
      Operand a,
      int rows,
      boolean padded,
      Operand b,
      int steps,
      Operand c,
      int cols,
      boolean add,
      MemorySegment spare) {
    int vectors = Math.ceilDiv(cols, LANES);
    int height = height(vectors);
    int direct = cols == vectors * LANES ? rows / height : 0;
    long row = vectors * VECTOR_BYTES;
    int told = padded ? Math.ceilDiv(rows, height) * height : rows;
    long last = (told - 1) * a.row() + (steps - 1L) * a.column();
    long x = Memory.address(a.data(), a.at(), last + Float.BYTES);
    long y = Memory.address(b.data(), b.at(), (steps - 1L) * b.row() + row);
    long z = Memory.address(c.data(), c.at(), (rows - 1) * c.row() + (long) cols * Float.BYTES);
    long tile = Memory.address(spare, spare.byteSize() - TILE_BYTES, TILE_BYTES);
    tiles(height, vectors, x, a.row(), a.column(), y, b.row(), steps, z, c.row(), direct, add);
    for (int r = direct * height; r < rows; r += height) {
      if (r + height > rows && !padded) {
        height = 1;
      }
      long at = x + r * a.row();
      tiles(height, vectors, at, a.row(), a.column(), y, b.row(), steps, tile, row, 1, false);
      settle(tile, row, Math.min(height, rows - r), z + r * c.row(), c.row(), cols, add);
    }
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
      case 4 -> TileLoops.tiles4x4(aAt, aRow, aStep, bAt, bStep, steps, cAt, cRow, tiles, add);
      case 3 -> TileLoops.tiles4x3(aAt, aRow, aStep, bAt, bStep, steps, cAt, cRow, tiles, add);
      case 2 -> TileLoops.tiles8x2(aAt, aRow, aStep, bAt, bStep, steps, cAt, cRow, tiles, add);
      default -> TileLoops.tiles8x1(aAt, aRow, aStep, bAt, bStep, steps, cAt, cRow, tiles, add);
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
