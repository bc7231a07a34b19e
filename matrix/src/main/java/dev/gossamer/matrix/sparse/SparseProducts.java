package dev.gossamer.matrix.sparse;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.memory.Memory;
import dev.gossamer.matrix.tile.Panels;
import dev.gossamer.matrix.tile.Tiles;
import dev.gossamer.matrix.tile.Transposition;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Objects;

/// The products of a fully connected layer whose weights `W`, `k x n`, are sparse with a fixed
/// pattern: `Y = X W`, `Y = X W^T`, and of `X^T T` what lies at the nonzeros. The baseline that
/// dense products with zeros are compared with (S. Singh and A. Bhatele, IPDPS 2023, figure 1 and
/// section V-B, there the GPU library Sputnik).
///
/// As in Sputnik the operands are transposed, so that one nonzero meets a vector of activations;
/// but a block of [#ROWS] rows of `X` and [SparsePanels#PANEL] of its columns at a time, which
/// stays in the nearest caches while it meets all of the nonzeros that need it. Sums over the
/// entries of a row of `W` or `W^T` are kept in registers within a panel. Of 576 rows, the product
/// of `W^T` and the whole of `X^T` by [Spmm] takes half the time at 256 columns, 1.4 times as long
/// at 1024 and 2.8 times at 2048, the transpositions not counted.
///
/// For each product the nonzeros lie in the order in which it reads them, with a copy of their
/// values; see [#refresh].
///
/// The order of every sum depends on the shapes and the pattern only, so that the bits depend on no
/// thread count. Nothing is allocated but at construction. Local; one caller at a time.
///
/// Cost: `2 m nnz` operations for each product. Memory: 12 bytes a nonzero, `4 (k + 1)`, and 4 for
/// each row and column of each panel, `k n / 32` about.
public final class SparseProducts {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private static final int LANES = Tiles.LANES;

  /// Rows of `X` of a block: as many vectors as there are accumulators in [SpmmRows].
  static final int ROWS = 8 * LANES;

  private static final long PITCH = (long) ROWS * Float.BYTES;

  /// Columns of `Y` of a task: their sums stay in the second-level cache.
  private static final int OUT = 1024;

  /// Rows of `W` of a task of the gradient.
  private static final int GRADIENT_ROWS = 256;

  private static final long PANEL_BYTES = SparsePanels.PANEL * PITCH;

  /// Entries that are handed to [SpmmRows] at a time, and where their rows' ends begin.
  private static final int ENTRIES = Workers.SCRATCH_ELEMENTS * 3 / 4;

  private static final int MOST_ROWS = Workers.SCRATCH_ELEMENTS - ENTRIES;

  /// Entries whose dot products are summed up over lanes at a time.
  private static final int DOTS = Workers.SCRATCH_ELEMENTS / LANES;

  private final int rows;
  private final int cols;
  private final MemorySegment rowPointers;
  private final SparsePanels byRow;
  private final SparsePanels byColumn;

  /// All values zero.
  ///
  /// @param arena owner of the memory
  /// @param rows `k`
  /// @param cols `n`
  /// @param kept the nonzeros, counted row by row; not needed afterwards
  /// @throws IllegalArgumentException if there is one beyond the last element
  public SparseProducts(Arena arena, int rows, int cols, BitSet kept) {
    if (kept.length() > (long) rows * cols) {
      throw new IllegalArgumentException(
          "sparse products: expected nonzeros of a %d x %d matrix, found one at %d"
              .formatted(rows, cols, kept.length() - 1));
    }
    this.rows = rows;
    this.cols = cols;
    rowPointers = arena.allocate((rows + 1L) * Integer.BYTES, DenseMatrix.ALIGNMENT);
    byRow = new SparsePanels(arena, rows, cols, kept, cols, false);
    byColumn = new SparsePanels(arena, cols, rows, kept, cols, true);
    for (int i = 0, sum = 0; i < rows; i++) {
      for (int q = 0; q < byRow.panels(); q++) {
        sum += byRow.start(q, i + 1) - byRow.start(q, i);
      }
      rowPointers.set(INT, (i + 1L) * Integer.BYTES, sum);
    }
  }

  /// {@return the bytes of off-heap memory, before it exists}
  ///
  /// @param rows number of rows
  /// @param cols number of columns
  /// @param nonzeros of the matrix
  public static long bytes(int rows, int cols, long nonzeros) {
    return (rows + 1L) * Integer.BYTES
        + SparsePanels.bytes(rows, cols, nonzeros)
        + SparsePanels.bytes(cols, rows, nonzeros);
  }

  /// {@return the number of rows, `k`}
  public int rows() {
    return rows;
  }

  /// {@return the number of columns, `n`}
  public int cols() {
    return cols;
  }

  /// {@return the number of nonzeros}
  public int nonzeros() {
    return rowPointer(rows);
  }

  private int rowPointer(int row) {
    return rowPointers.get(INT, (long) row * Integer.BYTES);
  }

  /// Takes over new values: to be called when they have changed.
  ///
  /// @param compressed `float32[nonzeros]`, row by row
  /// @param w threads that share the work
  public void refresh(MemorySegment compressed, Workers w) {
    Ranges.requireFloats("compressed", compressed, nonzeros());
    w.run(
        byColumn.panels(),
        (panel, worker) -> refresh(compressed, panel, w.scratch(worker)),
        compressed);
  }

  /// The rows of `W` that make up a panel of `W^T`.
  private void refresh(MemorySegment compressed, int panel, MemorySegment scratch) {
    long next = Memory.address(scratch, 0, (long) cols * Integer.BYTES);
    for (int j = 0; j < cols; j++) {
      Memory.ALL.set(INT, Memory.at(next + (long) j * Integer.BYTES), byColumn.start(panel, j));
    }
    MemorySegment toRows = byRow.values();
    MemorySegment toColumns = byColumn.values();
    int top = panel * SparsePanels.PANEL;
    long from = (long) rowPointer(top) * Float.BYTES;
    for (int i = top; i < top + byColumn.width(panel); i++) {
      for (int q = 0; q < byRow.panels(); q++) {
        long columns = next + (long) q * SparsePanels.PANEL * Integer.BYTES;
        int end = byRow.start(q, i + 1);
        for (int e = byRow.start(q, i); e < end; e++) {
          float value = compressed.get(FLOAT, from);
          from += Float.BYTES;
          toRows.set(FLOAT, (long) e * Float.BYTES, value);
          long at = Memory.at(columns + (long) byRow.id(e) * Integer.BYTES);
          int target = Memory.ALL.get(INT, at);
          Memory.ALL.set(INT, at, target + 1);
          toColumns.set(FLOAT, (long) target * Float.BYTES, value);
        }
      }
    }
  }

  /// The product `Y = X W`.
  ///
  /// @param x `m x k`
  /// @param y `m x n`, overwritten; shares no memory with `x`
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows
  /// @throws IllegalArgumentException if the shapes do not fit
  public void multiply(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    product(byColumn, x, y, w, epilogue);
  }

  /// The product `Y = X W^T`.
  ///
  /// @param x `m x n`
  /// @param y `m x k`, overwritten; shares no memory with `x`
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows
  /// @throws IllegalArgumentException if the shapes do not fit
  public void multiplyTransposed(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    product(byRow, x, y, w, epilogue);
  }

  /// `Y^T = A X^T`.
  private static void product(
      SparsePanels a, DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    if (x.cols() != a.inner() || y.cols() != a.rows() || y.rows() != x.rows()) {
      throw new IllegalArgumentException(
          "sparse product: x is %s and y is %s; x needs %d columns, y needs to be %d x %d"
              .formatted(x, y, a.inner(), x.rows(), a.rows()));
    }
    w.hold(() -> heldProduct(a, x, y, w, epilogue), epilogue.with(a.ids(), x.data(), y.data()));
  }

  private static void heldProduct(
      SparsePanels a, DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    int across = Math.ceilDiv(a.rows(), OUT);
    int blocks = Math.toIntExact(Math.ceilDiv(x.rows(), (long) ROWS));
    w.run(
        Math.multiplyExact(blocks, across),
        (task, worker) -> {
          long begin = (long) (task / across) * ROWS;
          long end = Math.min(x.rows(), begin + ROWS);
          int left = task % across * OUT;
          int right = Math.min(a.rows(), left + OUT);
          DenseMatrix part = x.rows(begin, end);
          DenseMatrix result = y.rows(begin, end);
          MemorySegment scratch = w.scratch(worker);
          int[] ints = w.scratchInts(worker);
          float[] floats = w.scratchFloats(worker);
          block(a, part, result, left, right, scratch, ints, floats);
          if (across == 1) {
            epilogue.apply(y, begin, end);
          }
        });
    if (across > 1) {
      w.run(
          blocks,
          (task, worker) -> {
            long begin = (long) task * ROWS;
            epilogue.apply(y, begin, Math.min(x.rows(), begin + ROWS));
          });
    }
  }

  /// The columns `left..right-1` of a block of rows of `Y`.
  private static void block(
      SparsePanels a,
      DenseMatrix x,
      DenseMatrix y,
      int left,
      int right,
      MemorySegment scratch,
      int[] ints,
      float[] floats) {
    int count = (int) x.rows();
    long from = Memory.address(x.data(), 0, x.data().byteSize());
    long to = Memory.address(y.data(), 0, y.data().byteSize());
    long panel = Memory.address(scratch, 0, PANEL_BYTES + (right - left) * PITCH);
    long sums = panel + PANEL_BYTES;
    long width = (long) Panels.padded(count) * Float.BYTES;
    for (int p = 0; p < a.panels(); p++) {
      long source = from + (long) p * SparsePanels.PANEL * Float.BYTES;
      Transposition.transpose(source, x.offset(1), count, a.width(p), panel, PITCH, true, floats);
      for (int row = left; row < right; ) {
        int some = gather(a, p, row, right, ints, floats);
        long target = sums + (row - left) * PITCH;
        SpmmRows.multiply(ints, floats, ENTRIES, some, panel, target, PITCH, PITCH, width, p > 0);
        row += some;
      }
    }
    Transposition.transpose(
        sums,
        PITCH,
        right - left,
        count,
        to + (long) left * Float.BYTES,
        y.offset(1),
        false,
        floats);
  }

  /// Reads the entries of as many rows as fit.
  ///
  /// @return their number, at least 1
  private static int gather(
      SparsePanels a, int panel, int row, int end, int[] ints, float[] floats) {
    int first = a.start(panel, row);
    int most = Math.min(MOST_ROWS, end - row);
    int count = 0;
    int entries = 0;
    while (count < most) {
      int last = a.start(panel, row + count + 1) - first;
      if (last > ENTRIES) {
        break;
      }
      ints[ENTRIES + count] = last;
      floats[ENTRIES + count] = 1f;
      entries = last;
      count++;
    }
    a.read(first, entries, ints, floats);
    return count;
  }

  /// Adds what lies at the nonzeros of `X^T T`.
  ///
  /// @param x `m x k`
  /// @param t `m x n`
  /// @param gradient `float32[nonzeros]`, row by row, added to
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void addOuter(DenseMatrix x, DenseMatrix t, MemorySegment gradient, Workers w) {
    if (x.cols() != rows || t.cols() != cols || t.rows() != x.rows()) {
      throw new IllegalArgumentException(
          "sparse gradient: x is %s and t is %s; x needs %d columns, t needs to be %d x %d"
              .formatted(x, t, rows, x.rows(), cols));
    }
    Ranges.requireFloats("gradient", gradient, nonzeros());
    w.run(
        Math.ceilDiv(rows, GRADIENT_ROWS),
        (task, worker) -> {
          int top = task * GRADIENT_ROWS;
          int bottom = Math.min(rows, top + GRADIENT_ROWS);
          MemorySegment scratch = w.scratch(worker);
          int[] ints = w.scratchInts(worker);
          float[] floats = w.scratchFloats(worker);
          for (long begin = 0; begin < x.rows(); begin += ROWS) {
            long end = Math.min(x.rows(), begin + ROWS);
            DenseMatrix left = x.rows(begin, end);
            DenseMatrix right = t.rows(begin, end);
            addOuter(left, right, top, bottom, gradient, scratch, ints, floats);
          }
        },
        byRow.ids(),
        x.data(),
        t.data(),
        gradient);
  }

  /// The rows `top..bottom-1` of the gradient, from a block of rows of `X` and `T`.
  private void addOuter(
      DenseMatrix x,
      DenseMatrix t,
      int top,
      int bottom,
      MemorySegment gradient,
      MemorySegment scratch,
      int[] next,
      float[] floats) {
    int count = (int) x.rows();
    int vectors = Panels.padded(count) / LANES;
    long panel = Memory.address(scratch, 0, PANEL_BYTES + (bottom - top) * PITCH);
    long lefts = panel + PANEL_BYTES;
    long fromX = Memory.address(x.data(), 0, x.data().byteSize()) + (long) top * Float.BYTES;
    long fromT = Memory.address(t.data(), 0, t.data().byteSize());
    Transposition.transpose(fromX, x.offset(1), count, bottom - top, lefts, PITCH, true, floats);
    for (int i = top; i < bottom; i++) {
      next[i - top] = rowPointer(i);
    }
    for (int q = 0; q < byRow.panels(); q++) {
      long source = fromT + (long) q * SparsePanels.PANEL * Float.BYTES;
      Transposition.transpose(
          source, t.offset(1), count, byRow.width(q), panel, PITCH, true, floats);
      for (int i = top; i < bottom; ) {
        int end = dots(q, i, bottom, lefts - top * PITCH, vectors, panel, floats);
        scatter(q, i, end, top, floats, next, gradient);
        i = end;
      }
    }
  }

  /// The dot products of the entries of as many rows as fit.
  ///
  /// @return the row after the last
  private int dots(
      int q, int row, int bottom, long lefts, int vectors, long panel, float[] floats) {
    int first = byRow.start(q, row);
    long ids = Memory.address(byRow.ids(), 0, byRow.ids().byteSize());
    int i = row;
    int done = 0;
    while (i < bottom) {
      int last = byRow.start(q, i + 1) - first;
      if (last > DOTS) {
        break;
      }
      long at = ids + (long) (first + done) * Character.BYTES;
      SparseDots.dots(lefts + i * PITCH, vectors, at, last - done, panel, PITCH, floats, done);
      done = last;
      i++;
    }
    Sddmm.sums(floats, done, floats, 0);
    return i;
  }

  /// Adds sums of consecutive rows of a panel to the gradient.
  private void scatter(
      int q, int row, int end, int top, float[] sums, int[] next, MemorySegment gradient) {
    int first = byRow.start(q, row);
    for (int i = row; i < end; i++) {
      int begin = byRow.start(q, i) - first;
      int count = byRow.start(q, i + 1) - first - begin;
      long to =
          Memory.address(gradient, (long) next[i - top] * Float.BYTES, (long) count * Float.BYTES);
      for (int e = 0; e < count; e++) {
        long at = Memory.at(to + (long) e * Float.BYTES);
        Memory.ALL.set(FLOAT, at, Memory.ALL.get(FLOAT, at) + sums[begin + e]);
      }
      next[i - top] += count;
    }
  }

  /// What lies at a nonzero.
  @FunctionalInterface
  private interface Visit {
    /// @param rank of the nonzero, row by row
    /// @param position of the element, row by row
    void accept(long rank, long position);
  }

  /// Goes over the nonzeros among the elements `begin..end-1`, in ascending order.
  private void visit(int begin, int end, Visit visit) {
    Objects.checkFromToIndex((long) begin, (long) end, (long) rows * cols);
    for (int i = begin / cols; (long) i * cols < end; i++) {
      int rank = rowPointer(i);
      for (int q = 0; q < byRow.panels(); q++) {
        long left = (long) i * cols + (long) q * SparsePanels.PANEL;
        int last = byRow.start(q, i + 1);
        for (int e = byRow.start(q, i); e < last; e++, rank++) {
          long position = left + byRow.id(e);
          if (position >= begin && position < end) {
            visit.accept(rank, position);
          }
        }
      }
    }
  }

  /// {@return the nonzeros, counted row by row} A copy.
  public BitSet kept() {
    BitSet kept = new BitSet();
    visit(0, Math.multiplyExact(rows, cols), (rank, position) -> kept.set((int) position));
    return kept;
  }

  /// The elements `begin..end-1` with zeros where there is no nonzero.
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param compressed `float32[nonzeros]`, row by row
  /// @param values `float32[end - begin]`, overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public void expand(int begin, int end, MemorySegment compressed, MemorySegment values) {
    require(begin, end, values, compressed);
    values.fill((byte) 0);
    visit(
        begin,
        end,
        (rank, position) ->
            values.set(
                FLOAT,
                (position - begin) * Float.BYTES,
                compressed.get(FLOAT, rank * Float.BYTES)));
  }

  /// The inverse of [#expand].
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param values `float32[end - begin]`
  /// @param compressed `float32[nonzeros]`, overwritten where these elements' nonzeros lie
  /// @throws IllegalArgumentException if the sizes do not fit
  public void compress(int begin, int end, MemorySegment values, MemorySegment compressed) {
    require(begin, end, values, compressed);
    visit(
        begin,
        end,
        (rank, position) ->
            compressed.set(
                FLOAT, rank * Float.BYTES, values.get(FLOAT, (position - begin) * Float.BYTES)));
  }

  /// [#compress] that adds to what is there.
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param values `float32[end - begin]`
  /// @param compressed `float32[nonzeros]`, added to
  /// @throws IllegalArgumentException if the sizes do not fit
  public void compressAdd(int begin, int end, MemorySegment values, MemorySegment compressed) {
    require(begin, end, values, compressed);
    visit(
        begin,
        end,
        (rank, position) -> {
          float sum = compressed.get(FLOAT, rank * Float.BYTES);
          sum += values.get(FLOAT, (position - begin) * Float.BYTES);
          compressed.set(FLOAT, rank * Float.BYTES, sum);
        });
  }

  private void require(int begin, int end, MemorySegment values, MemorySegment compressed) {
    Objects.checkFromToIndex((long) begin, (long) end, (long) rows * cols);
    Ranges.requireFloats("values", values, (long) end - begin);
    Ranges.requireFloats("compressed", compressed, nonzeros());
  }
}
