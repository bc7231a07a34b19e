package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;

/// Rows of `Â` by reference: row `i` of the selection is a row of a matrix that may hold others.
/// Represents `Q A` for a `Q` with one entry per row, without a copy.
public final class SelectedRows {
  private final CsrMatrix matrix;
  private final Squares squares;
  private final int[] at;

  /// @param matrix rows of `Â` with all `n` columns; borrowed
  /// @param squares of `matrix`
  /// @param at row of `matrix` for each row of the selection
  SelectedRows(CsrMatrix matrix, Squares squares, int[] at) {
    this.matrix = matrix;
    this.squares = squares;
    this.at = at;
  }

  /// Creates a selection of rows that are selected from once.
  SelectedRows(CsrMatrix matrix, int[] at) {
    this(matrix, new Squares(matrix), at);
  }

  /// {@return what holds the rows}
  public CsrMatrix matrix() {
    return matrix;
  }

  /// {@return some consecutive rows}
  ///
  /// @param from first row
  /// @param to the row after the last
  public SelectedRows range(int from, int to) {
    return from == 0 && to == at.length
        ? this
        : new SelectedRows(matrix, squares, Arrays.copyOfRange(at, from, to));
  }

  /// {@return some rows in another order}
  ///
  /// @param rows of this selection
  public SelectedRows picked(int[] rows) {
    int[] picked = new int[rows.length];
    Arrays.setAll(picked, i -> at[rows[i]]);
    return new SelectedRows(matrix, squares, picked);
  }

  /// {@return first entry of a row in [#matrix]}
  ///
  /// @param i row of the selection
  public long begin(int i) {
    return matrix.rowPointer(at[i]);
  }

  /// {@return the entry after the last of a row}
  ///
  /// @param i row of the selection
  public long end(int i) {
    return matrix.rowPointer(at[i] + 1L);
  }

  /// {@return whether a row has an entry in a column} Cost: `O(log row length)`.
  ///
  /// @param i row of the selection
  /// @param column of `Â`
  public boolean has(int i, int column) {
    return matrix.find(at[i], column) >= 0;
  }

  /// {@return where a row has a column, counted from its first entry; negative if it does not}
  /// Cost: `O(log row length)`.
  ///
  /// @param i row of the selection
  /// @param column of `Â`
  public int position(int i, int column) {
    long found = matrix.find(at[i], column);
    return found < 0 ? -1 : (int) (found - begin(i));
  }

  /// {@return scale of a row}
  ///
  /// @param i row of the selection
  public float scale(int i) {
    return matrix.rowScale(at[i]);
  }

  /// Returns `P = Q (A . A)`, for a `Q` whose row `j` has ones at the rows `starts[j]` to `starts[j
  /// + 1]` of the selection: the squared norms of their columns, without the scales of columns, up
  ///   to a factor that all have.
  ///
  /// @param arena shared, owner of `P`
  /// @param starts first row of each row of `Q`, and the number of rows selected
  /// @param workers for the product
  /// @return `P`
  public CsrMatrix columnSquares(Arena arena, int[] starts, Workers workers) {
    return squares.product(arena, Arrays.stream(starts).asLongStream().toArray(), at, workers);
  }
}
