package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Products by what edge dropout ([EntryDropout#scaled]) leaves of a matrix. The pattern is
/// borrowed; the weights of all entries, which are 0 where an entry is dropped, are in memory of
/// their own ([#bytes]) and drawn again by [#draw].
///
/// Not thread-safe: no product runs while weights are drawn.
public final class DroppedSpmm {
  private final CsrMatrix a;
  private final RowIds rows;
  private final RowIds cols;
  private final EntryDropout dropout;
  private final MemorySegment weights;
  private final Spmm left;

  /// Creates products by a matrix of zeros, until weights are drawn.
  ///
  /// @param arena owner of the weights
  /// @param a the matrix; borrowed
  /// @param rows the data set's ids of its rows
  /// @param cols the data set's ids of its columns
  /// @param dropout of its entries
  public DroppedSpmm(Arena arena, CsrMatrix a, RowIds rows, RowIds cols, EntryDropout dropout) {
    this.a = a;
    this.rows = rows;
    this.cols = cols;
    this.dropout = dropout;
    weights = arena.allocate(bytes(a.nnz()), DenseMatrix.ALIGNMENT);
    // Without hot columns and column scale, of which a product would have copies.
    left = new Spmm(a.withValues(weights).withScales(a.rowScale(), null), 0);
  }

  /// {@return products by what is left}
  public Spmm spmm() {
    return left;
  }

  /// Draws what is left in a step.
  ///
  /// @param step epoch or batch
  /// @param w threads that share the work
  public void draw(long step, Workers w) {
    dropout.apply(a, step, rows, cols, dropout.scaled(), weights, w);
  }

  /// {@return the bytes of the weights}
  ///
  /// @param nnz number of stored entries
  public static long bytes(long nnz) {
    return nnz * Float.BYTES;
  }
}
