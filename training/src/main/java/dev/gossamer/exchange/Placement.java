package dev.gossamer.exchange;

import dev.gossamer.graph.Propagation;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.kernel.Philox;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Where each vertex lives: a symmetric permutation of the vertices after which every owner has a
/// contiguous block (SA, section 5).
///
/// The permutation is stable: by part first, by old id within a part. Immutable; two ints a vertex.
public final class Placement {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// The stream of random numbers that only placements draw from.
  private static final int STREAM = 0x504c4143;

  private final int[] newIds;
  private final int[] oldIds;
  private final RowDistribution distribution;

  private Placement(int[] newIds, int[] oldIds, RowDistribution distribution) {
    this.newIds = newIds;
    this.oldIds = oldIds;
    this.distribution = distribution;
  }

  /// Vertices stay where they are, cut into even blocks.
  ///
  /// @throws IllegalArgumentException if there are no blocks or fewer than no vertices
  public static Placement block(int vertices, int blocks) {
    RowDistribution distribution = RowDistribution.even(vertices, blocks);
    int[] identity = identity(vertices);
    return new Placement(identity, identity, distribution);
  }

  /// A random permutation cut into even blocks: it balances the entries of the tiles (MG, section
  /// 5.2), and lets every rank need almost every row.
  ///
  /// @param seed the same seed gives the same permutation, whatever the number of blocks
  /// @throws IllegalArgumentException if there are no blocks or fewer than no vertices
  public static Placement random(int vertices, int blocks, long seed) {
    RowDistribution distribution = RowDistribution.even(vertices, blocks);
    int[] oldIds = identity(vertices);
    Philox random = Philox.keyed(seed, STREAM, 0);
    for (int i = vertices - 1; i > 0; i--) {
      int j = (int) Math.unsignedMultiplyHigh(random.low(i, 0, 0, 0), i + 1L);
      int swapped = oldIds[i];
      oldIds[i] = oldIds[j];
      oldIds[j] = swapped;
    }
    return new Placement(inverse(oldIds), oldIds, distribution);
  }

  /// What a partitioner decided.
  ///
  /// @param part the part of each vertex, `0..parts-1`; parts may be empty
  /// @throws IllegalArgumentException if a part is out of range or there are none
  public static Placement of(int[] part, int parts) {
    int[] counts = new int[Math.max(0, parts)];
    for (int v = 0; v < part.length; v++) {
      if (part[v] < 0 || part[v] >= parts) {
        throw new IllegalArgumentException(
            "placement: vertex %d is in part %d; expected a part in 0..%d"
                .formatted(v, part[v], parts - 1));
      }
      counts[part[v]]++;
    }
    RowDistribution distribution = RowDistribution.ofCounts(counts);
    int[] next = new int[parts];
    for (int i = 0; i < parts; i++) {
      next[i] = distribution.begin(i);
    }
    int[] newIds = new int[part.length];
    for (int v = 0; v < part.length; v++) {
      newIds[v] = next[part[v]]++;
    }
    return new Placement(newIds, inverse(newIds), distribution);
  }

  /// Blocks of new ids.
  public RowDistribution distribution() {
    return distribution;
  }

  /// The id of a vertex after the permutation.
  public int newId(int oldId) {
    return newIds[oldId];
  }

  /// The id in the data set of a vertex of the permuted graph: what outputs are labelled with.
  public int oldId(int newId) {
    return oldIds[newId];
  }

  /// The data set's ids of the vertices of block `i`, in the block's order.
  public int[] members(int i) {
    return Arrays.copyOfRange(oldIds, distribution.begin(i), distribution.end(i));
  }

  /// The block rows of owner `i` of `P A P^T`, in new memory, with new column ids in ascending
  /// order. No other row of the permuted matrix is made. Cost: `O(n + nnz_i log(row length))`.
  ///
  /// @param arena owner of the new memory
  /// @param a the whole matrix, `n x n`; values and scales are permuted with it
  /// @throws IllegalArgumentException if the matrix is not square of this size
  public CsrMatrix blockRows(Arena arena, CsrMatrix a, int i) {
    requireShape(a);
    CsrMatrix entries = entries(arena, a, i);
    return entries.withScales(
        permuted(arena, a.rowScale(), distribution.begin(i), distribution.end(i)),
        permuted(arena, a.columnScale(), 0, newIds.length));
  }

  /// The block rows of owner `i` of `Â` and of `Â^T`. What the two share, their block rows share.
  ///
  /// @param arena owner of the new memory
  /// @throws IllegalArgumentException if the matrices are not square of this size
  public BlockRows blockRows(Arena arena, Propagation propagation, int i) {
    CsrMatrix a = propagation.forward();
    CsrMatrix t = propagation.backward();
    CsrMatrix forward = blockRows(arena, a, i);
    if (!t.columns().equals(a.columns()) || !Objects.equals(t.values(), a.values())) {
      return new BlockRows(forward, blockRows(arena, t, i), false);
    }
    if (Objects.equals(t.rowScale(), a.rowScale())
        && Objects.equals(t.columnScale(), a.columnScale())) {
      return new BlockRows(forward, forward, true);
    }
    return new BlockRows(
        forward,
        forward.withScales(
            permuted(arena, t.rowScale(), distribution.begin(i), distribution.end(i)),
            permuted(arena, t.columnScale(), 0, newIds.length)),
        true);
  }

  /// Bytes that [#blockRows] of a matrix takes for owner `i`, before it does.
  public long blockBytes(CsrMatrix a, int i) {
    long nnz = 0;
    for (int row = distribution.begin(i); row < distribution.end(i); row++) {
      nnz += a.rowLength(oldIds[row]);
    }
    long scales =
        (a.rowScale() == null ? 0L : distribution.count(i))
            + (a.columnScale() == null ? 0L : newIds.length);
    return CsrMatrix.bytes(distribution.count(i), nnz, a.values() != null) + scales * Float.BYTES;
  }

  private CsrMatrix entries(Arena arena, CsrMatrix a, int block) {
    int begin = distribution.begin(block);
    int rows = distribution.count(block);
    MemorySegment pointers = arena.allocate((rows + 1L) * Long.BYTES, Long.BYTES);
    long total = 0;
    int longest = 0;
    for (int row = 0; row < rows; row++) {
      long length = a.rowLength(oldIds[begin + row]);
      longest = Math.max(longest, Math.toIntExact(length));
      total += length;
      pointers.set(LONG, (row + 1L) * Long.BYTES, total);
    }
    MemorySegment columns = arena.allocate(total * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment values =
        a.values() == null ? null : arena.allocate(total * Float.BYTES, DenseMatrix.ALIGNMENT);
    long[] row = new long[longest];
    for (int r = 0; r < rows; r++) {
      int length = permutedRow(a, oldIds[begin + r], row);
      long target = pointers.get(LONG, (long) r * Long.BYTES);
      for (int k = 0; k < length; k++) {
        columns.set(INT, (target + k) * Integer.BYTES, (int) (row[k] >>> 32));
        if (values != null) {
          values.set(FLOAT, (target + k) * Float.BYTES, Float.intBitsToFloat((int) row[k]));
        }
      }
    }
    return CsrMatrix.wrap(rows, a.cols(), pointers, columns, values);
  }

  /// Fills `row` with new column (upper half) and value (lower half) of each entry of a row,
  /// ascending.
  private int permutedRow(CsrMatrix a, int oldRow, long[] row) {
    int length = (int) a.rowLength(oldRow);
    long from = a.rowPointer(oldRow);
    for (int k = 0; k < length; k++) {
      long column = newIds[a.column(from + k)];
      row[k] = column << 32 | Integer.toUnsignedLong(Float.floatToRawIntBits(a.value(from + k)));
    }
    Arrays.sort(row, 0, length);
    return length;
  }

  private @Nullable MemorySegment permuted(
      Arena arena, @Nullable MemorySegment scale, int begin, int end) {
    if (scale == null) {
      return null;
    }
    MemorySegment result =
        arena.allocate((long) (end - begin) * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (int row = begin; row < end; row++) {
      float s = scale.get(FLOAT, (long) oldIds[row] * Float.BYTES);
      result.set(FLOAT, (long) (row - begin) * Float.BYTES, s);
    }
    return result;
  }

  private void requireShape(CsrMatrix a) {
    if (a.rows() != newIds.length || a.cols() != newIds.length) {
      throw new IllegalArgumentException(
          "placement: the matrix is %s but %d vertices are placed".formatted(a, newIds.length));
    }
  }

  private static int[] identity(int n) {
    int[] ids = new int[n];
    Arrays.setAll(ids, v -> v);
    return ids;
  }

  private static int[] inverse(int[] ids) {
    int[] inverse = new int[ids.length];
    for (int v = 0; v < ids.length; v++) {
      inverse[ids[v]] = v;
    }
    return inverse;
  }
}
