package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Objects;

/// The products of a fully connected layer whose weights `W`, `k x n`, are sparse with a fixed
/// pattern: `Y = X W`, `Y = X W^T`, and `X^T T` at the nonzeros.
///
/// Values belong to the caller and are stored in the order in which the products read them;
/// [#sorted] returns them in the order of positions. The order of every sum depends only on shapes
/// and pattern, so that results do not depend on the number of threads. Off-heap memory is
/// allocated only at construction. Local; not thread-safe.
public abstract sealed class PatternProducts permits SparseProducts, BlockProducts {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int rows;
  private final int cols;

  PatternProducts(int rows, int cols, BitSet kept) {
    if (kept.length() > (long) rows * cols) {
      throw new IllegalArgumentException(
          "sparse products: expected nonzeros of a %d x %d matrix, found one at %d"
              .formatted(rows, cols, kept.length() - 1));
    }
    this.rows = rows;
    this.cols = cols;
  }

  /// {@return the products with a pattern: by blocks if [BlockProducts#fits] allows it, otherwise
  /// by elements}
  ///
  /// @param arena owner of the memory
  /// @param rows `k`
  /// @param cols `n`
  /// @param kept positions of the nonzeros, row by row; not kept
  /// @throws IllegalArgumentException if a position is out of range
  public static PatternProducts of(Arena arena, int rows, int cols, BitSet kept) {
    return BlockProducts.fits(rows, cols, kept)
        ? new BlockProducts(arena, rows, cols, kept)
        : new SparseProducts(arena, rows, cols, kept);
  }

  /// {@return the number of rows, `k`}
  public final int rows() {
    return rows;
  }

  /// {@return the number of columns, `n`}
  public final int cols() {
    return cols;
  }

  /// {@return the number of nonzeros}
  public abstract int nonzeros();

  /// Computes `Y = X W`.
  ///
  /// @param values `float32[nonzeros]`, in the order of the products
  /// @param x `m x k`
  /// @param y `m x n`, overwritten; shares no memory with `x`
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows
  /// @throws IllegalArgumentException if the shapes do not fit
  public abstract void multiply(
      MemorySegment values, DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue);

  /// Computes `Y = X W^T`.
  ///
  /// @param values `float32[nonzeros]`, in the order of the products
  /// @param x `m x n`
  /// @param y `m x k`, overwritten; shares no memory with `x`
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows
  /// @throws IllegalArgumentException if the shapes do not fit
  public abstract void multiplyTransposed(
      MemorySegment values, DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue);

  /// Adds `X^T T` at the nonzeros.
  ///
  /// @param x `m x k`
  /// @param t `m x n`
  /// @param gradient `float32[nonzeros]`, in the order of the products, added to
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public abstract void addOuter(DenseMatrix x, DenseMatrix t, MemorySegment gradient, Workers w);

  /// Checks the shapes of a product.
  final void requireProduct(
      int outputs, int inner, MemorySegment values, DenseMatrix x, DenseMatrix y) {
    if (x.cols() != inner || y.cols() != outputs || y.rows() != x.rows()) {
      throw new IllegalArgumentException(
          "sparse product: x is %s and y is %s; x needs %d columns, y needs to be %d x %d"
              .formatted(x, y, inner, x.rows(), outputs));
    }
    Ranges.requireFloats("values", values, nonzeros());
  }

  /// Checks the shapes of a gradient.
  final void requireOuter(DenseMatrix x, DenseMatrix t, MemorySegment gradient) {
    if (x.cols() != rows || t.cols() != cols || t.rows() != x.rows()) {
      throw new IllegalArgumentException(
          "sparse gradient: x is %s and t is %s; x needs %d columns, t needs to be %d x %d"
              .formatted(x, t, rows, x.rows(), cols));
    }
    Ranges.requireFloats("gradient", gradient, nonzeros());
  }

  /// What lies at a nonzero.
  @FunctionalInterface
  interface Visit {
    /// @param at where its value lies among those of all nonzeros
    /// @param position of the element, row by row
    void accept(long at, long position);
  }

  /// Goes over the nonzeros of some rows, in ascending order.
  ///
  /// @param begin first row
  /// @param end the row after the last
  abstract void visitRows(int begin, int end, Visit visit);

  /// Goes over the nonzeros among the elements `begin..end-1`, in ascending order.
  private void visit(int begin, int end, Visit visit) {
    Objects.checkFromToIndex((long) begin, (long) end, (long) rows * cols);
    if (begin < end) {
      visitRows(
          begin / cols,
          (end - 1) / cols + 1,
          (at, position) -> {
            if (position >= begin && position < end) {
              visit.accept(at, position);
            }
          });
    }
  }

  /// {@return a copy of the positions of the nonzeros, row by row}
  public final BitSet kept() {
    BitSet kept = new BitSet();
    visit(0, Math.multiplyExact(rows, cols), (at, position) -> kept.set((int) position));
    return kept;
  }

  /// Copies the values in the order of their positions.
  ///
  /// @param values `float32[nonzeros]`, in the order of the products
  /// @param ascending `float32[nonzeros]`, overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public final void sorted(MemorySegment values, MemorySegment ascending) {
    move(values, ascending, true);
  }

  /// Computes the inverse of [#sorted].
  ///
  /// @param ascending `float32[nonzeros]`, in the order of their positions
  /// @param values `float32[nonzeros]`, overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public final void unsorted(MemorySegment ascending, MemorySegment values) {
    move(values, ascending, false);
  }

  private void move(MemorySegment values, MemorySegment ascending, boolean sorting) {
    Ranges.requireFloats("values", values, nonzeros());
    Ranges.requireFloats("ascending", ascending, nonzeros());
    long[] next = {0};
    visitRows(
        0,
        rows,
        (at, position) -> {
          if (sorting) {
            ascending.set(FLOAT, next[0], values.get(FLOAT, at * Float.BYTES));
          } else {
            values.set(FLOAT, at * Float.BYTES, ascending.get(FLOAT, next[0]));
          }
          next[0] += Float.BYTES;
        });
  }

  /// Expands the elements `begin..end-1`, with zeros elsewhere.
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param compressed `float32[nonzeros]`, in the order of the products
  /// @param values `float32[end - begin]`, overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public final void expand(int begin, int end, MemorySegment compressed, MemorySegment values) {
    require(begin, end, values, compressed);
    values.fill((byte) 0);
    visit(
        begin,
        end,
        (at, position) ->
            values.set(
                FLOAT, (position - begin) * Float.BYTES, compressed.get(FLOAT, at * Float.BYTES)));
  }

  /// Computes the inverse of [#expand].
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param values `float32[end - begin]`
  /// @param compressed `float32[nonzeros]`, overwritten for the nonzeros among these elements
  /// @throws IllegalArgumentException if the sizes do not fit
  public final void compress(int begin, int end, MemorySegment values, MemorySegment compressed) {
    require(begin, end, values, compressed);
    visit(
        begin,
        end,
        (at, position) ->
            compressed.set(
                FLOAT, at * Float.BYTES, values.get(FLOAT, (position - begin) * Float.BYTES)));
  }

  /// Adds the result of [#compress] to the existing values.
  ///
  /// @param begin first element
  /// @param end the element after the last
  /// @param values `float32[end - begin]`
  /// @param compressed `float32[nonzeros]`, added to
  /// @throws IllegalArgumentException if the sizes do not fit
  public final void compressAdd(
      int begin, int end, MemorySegment values, MemorySegment compressed) {
    require(begin, end, values, compressed);
    visit(
        begin,
        end,
        (at, position) -> {
          float sum = compressed.get(FLOAT, at * Float.BYTES);
          sum += values.get(FLOAT, (position - begin) * Float.BYTES);
          compressed.set(FLOAT, at * Float.BYTES, sum);
        });
  }

  private void require(int begin, int end, MemorySegment values, MemorySegment compressed) {
    Objects.checkFromToIndex((long) begin, (long) end, (long) rows * cols);
    Ranges.requireFloats("values", values, (long) end - begin);
    Ranges.requireFloats("compressed", compressed, nonzeros());
  }
}
