package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.tile.Tiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;

/// The products with a pattern of single elements. (S. Singh and A. Bhatele, IPDPS 2023, figure 1
/// and section V-B, compare dense products with those of the GPU library Sputnik.)
///
/// As in Sputnik, the operands are transposed, so that one nonzero is multiplied with a vector of
/// activations, but in blocks of 64 rows of `X` and 256 of its columns, which stay in the nearest
/// caches for all of their nonzeros. Sums over the entries of a row of `W` or `W^T` are kept in
/// registers within a panel.
///
/// Values are stored in the order in which `X W^T` and the gradient read them: by panels of 256
/// columns, row by row within a panel. `X W` reads column by column: it first gathers the values by
/// 16-bit indices within a tile, so that no second copy has to be kept up to date.
///
/// Cost: `2 m nnz` operations for each product. Memory: 4 bytes per nonzero, and 4 for each row and
/// column of each panel, about `k n / 32`.
public final class SparseProducts extends PatternProducts {
  private static final ValueLayout.OfChar CHAR = ValueLayout.JAVA_CHAR_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Elements of a dense matrix that take as long as a nonzero.
  private static final double NONZERO = 2;

  /// Elements of a dense matrix that take as long as the transposition of an activation.
  private static final double TRANSPOSED = 8;

  /// Values that are fetched at a time; the rest of the shared scratch is for sums of parts.
  private static final int FETCHED =
      (int) ((Workers.SHARED_BYTES - TransposedProduct.SUM_BYTES) / Float.BYTES);

  /// Entries whose dot products are summed up over lanes at a time: no fewer than a row of a panel
  /// has.
  private static final int DOTS = Workers.SCRATCH_ELEMENTS / Tiles.LANES;

  private static final PanelGradient.Cut CUT = new PanelGradient.Cut(256, 2, 128);

  private final SparsePanels byRow;
  private final SparsePanels byColumn;

  /// Where the value of an entry of `byColumn` lies, counted from the first one of its tile.
  private final MemorySegment places;

  /// Creates the products with a pattern.
  ///
  /// @param arena owner of the memory
  /// @param rows `k`
  /// @param cols `n`
  /// @param kept positions of the nonzeros, row by row; not kept
  /// @throws IllegalArgumentException if a position is out of range
  public SparseProducts(Arena arena, int rows, int cols, BitSet kept) {
    super(rows, cols, kept);
    byRow = SparsePanels.of(arena, rows, cols, kept);
    places = arena.allocate((long) byRow.entries() * Character.BYTES, DenseMatrix.ALIGNMENT);
    byColumn =
        byRow.transposed(
            arena,
            (entry, tile, transposed) ->
                places.set(CHAR, (long) transposed * Character.BYTES, (char) (entry - tile)));
  }

  /// {@return the time of these products relative to those of a dense matrix with zeros} Uses fixed
  /// measured rates, so that the result is the same on every machine: for a row of activations, a
  /// nonzero takes the time of [#NONZERO] elements of a dense matrix, and transposing an element of
  /// `X` and `T` that of [#TRANSPOSED].
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param nonzeros number of nonzeros of the matrix
  public static double relativeTime(int rows, int cols, long nonzeros) {
    double sparse = NONZERO * nonzeros + TRANSPOSED * ((double) rows + cols);
    return sparse / ((double) rows * cols);
  }

  /// {@return the bytes of off-heap memory}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param nonzeros number of nonzeros of the matrix
  public static long bytes(int rows, int cols, long nonzeros) {
    return SparsePanels.bytes(rows, cols, nonzeros)
        + SparsePanels.bytes(cols, rows, nonzeros)
        + nonzeros * Character.BYTES;
  }

  @Override
  public int nonzeros() {
    return byRow.entries();
  }

  /// A pattern as a factor, with values for it.
  ///
  /// @param bases for each panel the address that the value of entry 0 would have
  @SuppressWarnings("ArrayRecordComponent")
  private record Values(SparsePanels a, long[] bases) implements TransposedProduct.Factor {
    @Override
    public int inner() {
      return a.inner();
    }

    @Override
    public long entries(int begin, int end) {
      return a.entries(begin, end);
    }

    @Override
    public void multiply(
        int panel, int begin, int end, long x, long sums, long pitch, boolean add, long spare) {
      long starts = a.startAddress(panel, begin);
      SparseRows.multiply(
          starts, end - begin, a.ids().address(), bases[panel], x, sums, pitch, add);
    }
  }

  @Override
  public void multiply(
      MemorySegment values, DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    requireProduct(cols(), rows(), values, x, y);
    if (rows() > FETCHED) {
      throw new IllegalArgumentException(
          "sparse product: expected at most %d rows of W, found %d".formatted(FETCHED, rows()));
    }
    w.hold(
        () -> {
          for (int left = 0; left < cols(); ) {
            int right = fetchedFrom(left);
            Values fetched = new Values(byColumn, fetch(values, left, right, w));
            new TransposedProduct(fetched, left, right, x, y, w).run();
            left = right;
          }
          TransposedProduct.finish(y, w, epilogue);
        },
        epilogue.with(byColumn.ids(), byColumn.starts(), places, values, x.data(), y.data()));
  }

  @Override
  public void multiplyTransposed(
      MemorySegment values, DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    requireProduct(rows(), cols(), values, x, y);
    long[] bases = new long[byRow.panels()];
    Arrays.fill(bases, Memory.address(values, 0, values.byteSize()));
    w.hold(
        () -> {
          new TransposedProduct(new Values(byRow, bases), 0, rows(), x, y, w).run();
          TransposedProduct.finish(y, w, epilogue);
        },
        epilogue.with(byRow.ids(), byRow.starts(), values, x.data(), y.data()));
  }

  /// The end of the columns from `left` on whose values are fetched together.
  private int fetchedFrom(int left) {
    int step = Math.clamp(FETCHED / rows(), 1, SparsePanels.PANEL);
    int right = Math.min(cols(), left + step);
    while (right < cols()) {
      int next = Math.min(cols(), right + step);
      if (byColumn.entries(left, next) > FETCHED) {
        break;
      }
      right = next;
    }
    return right;
  }

  /// Brings the values of some columns into the order of `byColumn`, in the shared scratch.
  ///
  /// @return for each panel the address that the value of entry 0 would have
  private long[] fetch(MemorySegment values, int left, int right, Workers w) {
    long[] bases = new long[byColumn.panels()];
    long next =
        Memory.address(
            w.sharedScratch(), TransposedProduct.SUM_BYTES, (long) FETCHED * Float.BYTES);
    for (int p = 0; p < bases.length; p++) {
      int begin = byColumn.start(p, left);
      bases[p] = next - (long) begin * Float.BYTES;
      next += (long) (byColumn.start(p, right) - begin) * Float.BYTES;
    }
    int across = Math.ceilDiv(right - left, SparsePanels.PANEL);
    w.run(
        Math.multiplyExact(bases.length, across),
        (task, worker) -> {
          int p = task / across;
          int begin = left + task % across * SparsePanels.PANEL;
          fetch(values, p, begin, Math.min(right, begin + SparsePanels.PANEL), bases[p]);
        });
    return bases;
  }

  private void fetch(MemorySegment values, int panel, int begin, int end, long base) {
    int top = panel * SparsePanels.PANEL;
    for (int j = begin; j < end; j++) {
      int tile = byRow.start(j / SparsePanels.PANEL, top);
      fetch(
          values.address() + (long) tile * Float.BYTES,
          byColumn.start(panel, j),
          byColumn.start(panel, j + 1),
          base);
    }
  }

  private void fetch(long tile, int begin, int end, long base) {
    long from = places.address();
    for (int e = begin; e < end; e++) {
      long place = Memory.ALL.get(CHAR, Memory.at(from + (long) e * Character.BYTES));
      float value = Memory.ALL.get(FLOAT, Memory.at(tile + place * Float.BYTES));
      Memory.ALL.set(FLOAT, Memory.at(base + (long) e * Float.BYTES), value);
    }
  }

  @Override
  public void addOuter(DenseMatrix x, DenseMatrix t, MemorySegment gradient, Workers w) {
    requireOuter(x, t, gradient);
    w.hold(
        () -> new PanelGradient(nonzeros(), this::addDots, CUT, x, t, gradient, w).run(),
        byRow.ids(),
        byRow.starts(),
        x.data(),
        t.data(),
        gradient);
  }

  private void addDots(
      int panel,
      int begin,
      int end,
      long left,
      long right,
      long pitch,
      long bytes,
      long target,
      boolean overwrite,
      float[] floats) {
    for (int i = begin; i < end; ) {
      int some = dots(panel, i, end, left + (i - begin) * pitch, right, pitch, bytes, floats);
      int first = byRow.start(panel, i);
      long to = target + (long) first * Float.BYTES;
      SparseDots.add(floats, byRow.start(panel, i + some) - first, to, overwrite);
      i += some;
    }
  }

  /// The dot products of the entries of as many rows as fit.
  ///
  /// @return number of rows, at least 1
  private int dots(
      int q, int row, int end, long left, long panel, long pitch, long bytes, float[] floats) {
    int first = byRow.start(q, row);
    int count = 0;
    int done = 0;
    while (row + count < end) {
      int last = byRow.start(q, row + count + 1) - first;
      if (last > DOTS) {
        break;
      }
      SparseDots.dots(
          left + count * pitch,
          byRow.ids().address() + first + done,
          last - done,
          panel,
          pitch,
          bytes,
          floats,
          done);
      done = last;
      count++;
    }
    Sddmm.sums(floats, done, floats, 0);
    return count;
  }

  @Override
  void visitRows(int begin, int end, Visit visit) {
    for (int i = begin; i < end; i++) {
      for (int q = 0; q < byRow.panels(); q++) {
        long left = (long) i * cols() + (long) q * SparsePanels.PANEL;
        int last = byRow.start(q, i + 1);
        for (int e = byRow.start(q, i); e < last; e++) {
          visit.accept(e, left + byRow.id(e));
        }
      }
    }
  }
}
