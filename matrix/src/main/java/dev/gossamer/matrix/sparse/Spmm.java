package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Sparse times dense: `Y = diag(r) S diag(c) X` for a fixed sparse matrix and any number of
/// products.
///
/// Rows are divided once into contiguous ranges of about equal work that depend only on the matrix;
/// a range is a task of [Workers] and sums each row in registers in a fixed order, so `Y` is
/// bit-identical for any number of threads.
///
/// If few columns have most entries of a large matrix, as in graphs with skewed degrees, their
/// entries are summed first, from a compact copy of their rows of `X`, and the others are added.
/// The matrix is split once; see [#bytes] for the memory.
///
/// Otherwise a column scale is multiplied into a weight per entry at construction, which takes `4
/// nnz` bytes: reading them in order is faster than another random access per entry. Without a
/// column scale, values are read in place.
///
/// Cost: at most `nnz (8 + 4 f)` bytes read and `4 n f` written; with a split, `8 n f` more.
/// Thread-safe for different [Workers] and results; products of a split matrix run one at a time.
public final class Spmm {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Bytes of `X` that a last-level cache may hold. Of a larger one, only [#PASS_BYTES] of each row
  /// are read in one pass over the matrix, so that more of what is read twice is still cached.
  private static final long CACHED_BYTES = 1 << 24;

  private static final long PASS_BYTES = 512;

  private final CsrMatrix a;
  private final @Nullable HotColumns hotColumns;
  private final SpmmPart rest;

  /// Prepares products with a matrix.
  ///
  /// @param a the matrix, borrowed; its entries must not change while this object is used
  /// @throws IllegalArgumentException if row pointers descend or column ids are out of range, which
  ///   products do not check
  public Spmm(CsrMatrix a) {
    this(a, HotColumns.COLUMNS);
  }

  /// @param hot columns that are summed first, if the matrix gains by it
  Spmm(CsrMatrix a, int hot) {
    String fault = a.validate();
    if (fault != null) {
      throw new IllegalArgumentException("spmm: a is %s; %s".formatted(a, fault));
    }
    this.a = a;
    hotColumns = HotColumns.of(a, hot);
    rest = hotColumns == null ? new SpmmPart(a, weights(a)) : hotColumns.cold();
  }

  /// {@return the matrix. Borrowed}
  public CsrMatrix matrix() {
    return a;
  }

  /// {@return the off-heap bytes in addition to the matrix}
  public long bytes() {
    if (hotColumns != null) {
      return hotColumns.bytes();
    }
    return a.columnScale() == null ? 0 : a.nnz() * Float.BYTES;
  }

  /// {@return an upper bound of the sum of [#bytes] over several matrices}
  ///
  /// @param rows number of rows of each matrix
  /// @param nnz number of stored entries of all of them
  /// @param values whether the matrices have values
  /// @param cols number of columns of each matrix
  public static long bytesAtMost(long rows, long nnz, boolean values, long... cols) {
    long split = LongStream.of(cols).filter(c -> HotColumns.mayGain(c, nnz)).count();
    long entry = split == 0 ? Float.BYTES : values ? 8 : 6;
    return nnz * entry + split * (2 * (rows + 1) * Long.BYTES + HotColumns.PANEL_BYTES);
  }

  /// Computes `y = a x`, and then applies `epilogue` to each block of completed rows.
  ///
  /// @param x `cols x f`
  /// @param y `rows x f`, overwritten; shares no memory with `x`
  /// @param workers threads that share the work
  /// @param epilogue applied to finished rows of `y`
  /// @throws IllegalArgumentException if a shape does not fit, or memory is on the heap or, for
  ///   `y`, read-only
  /// @throws IllegalStateException if the memory of `x` or `y` is closed
  public void multiply(DenseMatrix x, DenseMatrix y, Workers workers, RowEpilogue epilogue) {
    multiply(ColumnBlock.all(x), ColumnBlock.all(y), workers, epilogue);
  }

  /// Computes `y = a x` for a block of columns. The result of a column does not depend on other
  /// columns.
  ///
  /// @param x `cols x f`
  /// @param y `rows x f`, overwritten; shares no memory with `x`
  /// @param workers threads that share the work
  /// @param epilogue applied to finished rows of the whole matrix of `y`
  /// @throws IllegalArgumentException if a shape does not fit, or memory is on the heap or, for
  ///   `y`, read-only
  /// @throws IllegalStateException if the memory of `x` or `y` is closed
  public void multiply(ColumnBlock x, ColumnBlock y, Workers workers, RowEpilogue epilogue) {
    run(x, y, false, workers, epilogue);
  }

  /// Computes `y += a x`, and then applies `epilogue` to each block of completed rows.
  ///
  /// @param x `cols x f`
  /// @param y `rows x f`, added to; shares no memory with `x`
  /// @param workers threads that share the work
  /// @param epilogue applied to finished rows of `y`
  /// @throws IllegalArgumentException if a shape does not fit, or memory is on the heap or, for
  ///   `y`, read-only
  /// @throws IllegalStateException if the memory of `x` or `y` is closed
  public void multiplyAdd(DenseMatrix x, DenseMatrix y, Workers workers, RowEpilogue epilogue) {
    multiplyAdd(ColumnBlock.all(x), ColumnBlock.all(y), workers, epilogue);
  }

  /// Computes `y += a x` for a block of columns.
  ///
  /// @param x `cols x f`
  /// @param y `rows x f`, added to; shares no memory with `x`
  /// @param workers threads that share the work
  /// @param epilogue applied to finished rows of the whole matrix of `y`
  /// @throws IllegalArgumentException if a shape does not fit, or memory is on the heap or, for
  ///   `y`, read-only
  /// @throws IllegalStateException if the memory of `x` or `y` is closed
  public void multiplyAdd(ColumnBlock x, ColumnBlock y, Workers workers, RowEpilogue epilogue) {
    run(x, y, true, workers, epilogue);
  }

  private void run(
      ColumnBlock x, ColumnBlock y, boolean add, Workers workers, RowEpilogue epilogue) {
    checkShapes(x, y);
    MemorySegment from = x.matrix().data();
    MemorySegment to = y.matrix().data();
    if (hotColumns == null) {
      workers.hold(() -> runRest(x, y, add, workers, epilogue), epilogue.with(from, to));
      return;
    }
    synchronized (hotColumns) {
      workers.hold(
          () -> {
            runHot(hotColumns, x, y, add, workers);
            runRest(x, y, true, workers, epilogue);
          },
          epilogue.with(from, to, hotColumns.panel()));
    }
  }

  private static void runHot(
      HotColumns columns, ColumnBlock x, ColumnBlock y, boolean add, Workers workers) {
    long bytes = x.rowBytes();
    long pitch = y.pitch();
    SpmmPart hot = columns.hot();
    for (long column = 0; column < bytes; column += HotColumns.STRIPE_BYTES) {
      long width = Math.min(HotColumns.STRIPE_BYTES, bytes - column);
      long from = columns.fill(address(x) + column, x.pitch(), width, workers);
      long to = address(y) + column;
      workers.run(
          hot.tasks(),
          (task, worker) -> {
            int[] ints = workers.scratchInts(worker);
            float[] floats = workers.scratchFloats(worker);
            hot.multiply(task, from, to, width, pitch, width, add, ints, floats);
          });
    }
  }

  private void runRest(
      ColumnBlock x, ColumnBlock y, boolean add, Workers workers, RowEpilogue epilogue) {
    long bytes = x.rowBytes();
    long pass = x.rows() * bytes > CACHED_BYTES ? PASS_BYTES : bytes;
    for (long column = 0; column < bytes; column += pass) {
      long from = address(x) + column;
      long to = address(y) + column;
      long width = Math.min(pass, bytes - column);
      boolean last = column + width == bytes;
      workers.run(
          rest.tasks(),
          (task, worker) -> {
            int[] ints = workers.scratchInts(worker);
            float[] floats = workers.scratchFloats(worker);
            rest.multiply(task, from, to, x.pitch(), y.pitch(), width, add, ints, floats);
            if (last) {
              epilogue.apply(y.matrix(), rest.firstRow(task), rest.firstRow(task + 1));
            }
          });
    }
  }

  private static long address(ColumnBlock block) {
    return block.matrix().data().address() + block.offset(0);
  }

  private static @Nullable MemorySegment weights(CsrMatrix a) {
    MemorySegment scale = a.columnScale();
    if (scale == null) {
      return a.values();
    }
    MemorySegment weights = Arena.ofAuto().allocate(a.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (long e = 0; e < a.nnz(); e++) {
      float c = scale.get(FLOAT, (long) a.column(e) * Float.BYTES);
      weights.set(FLOAT, e * Float.BYTES, a.value(e) * c);
    }
    return weights;
  }

  private void checkShapes(ColumnBlock x, ColumnBlock y) {
    MemorySegment from = x.matrix().data();
    MemorySegment to = y.matrix().data();
    if (!from.isNative() || !to.isNative()) {
      throw new IllegalArgumentException("spmm: x and y need off-heap memory");
    }
    if (!from.scope().isAlive() || !to.scope().isAlive()) {
      throw new IllegalStateException("spmm: the memory of x or y is already closed");
    }
    if (to.isReadOnly()) {
      throw new IllegalArgumentException("spmm: y is read-only");
    }
    if (x.rows() != a.cols()) {
      throw new IllegalArgumentException(
          "spmm: a is %d x %d but x is %s; x needs %d rows"
              .formatted(a.rows(), a.cols(), x, a.cols()));
    }
    if (y.rows() != a.rows() || y.cols() != x.cols()) {
      throw new IllegalArgumentException(
          "spmm: a is %d x %d and x is %s but y is %s; y needs to be %d x %d"
              .formatted(a.rows(), a.cols(), x, y, a.rows(), x.cols()));
    }
  }
}
