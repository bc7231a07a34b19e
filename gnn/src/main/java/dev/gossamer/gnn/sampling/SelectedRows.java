package dev.gossamer.gnn.sampling;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.sparse.Spgemm;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Rows of `Â`, by reference: row `i` of the selection is a row of a matrix that holds it and
/// perhaps others. What `Q A` is for a `Q` with one entry a row, without a copy.
public final class SelectedRows {
  private final CsrMatrix matrix;
  private @Nullable Spgemm paths;
  private final int[] at;

  /// @param matrix rows of `Â` with all `n` columns; borrowed
  /// @param paths products by the pattern of `matrix`, made when it is needed if null
  /// @param at the row of `matrix` that each row of the selection is
  SelectedRows(CsrMatrix matrix, @Nullable Spgemm paths, int[] at) {
    this.matrix = matrix;
    this.paths = paths;
    this.at = at;
  }

  /// Rows of a matrix without a product yet.
  SelectedRows(CsrMatrix matrix, int[] at) {
    this(matrix, null, at);
  }

  /// Products by a pattern.
  static Spgemm paths(CsrMatrix matrix) {
    return new Spgemm(matrix.withValues(null).withScales(null, null));
  }

  /// What holds the rows.
  CsrMatrix matrix() {
    return matrix;
  }

  /// Some consecutive rows.
  SelectedRows range(int from, int to) {
    return from == 0 && to == at.length
        ? this
        : new SelectedRows(matrix, paths, Arrays.copyOfRange(at, from, to));
  }

  /// First entry of row `i`.
  long begin(int i) {
    return matrix.rowPointer(at[i]);
  }

  /// The entry after the last of row `i`.
  long end(int i) {
    return matrix.rowPointer(at[i] + 1L);
  }

  /// Whether row `i` has an entry in a column. Cost: `O(log row length)`.
  boolean has(int i, int column) {
    return matrix.find(at[i], column) >= 0;
  }

  /// Where row `i` has a column, counted from its first entry; negative if it does not. Cost:
  /// `O(log row length)`.
  int position(int i, int column) {
    long found = matrix.find(at[i], column);
    return found < 0 ? -1 : (int) (found - begin(i));
  }

  /// Scale of row `i`.
  float scale(int i) {
    return matrix.rowScale(at[i]);
  }

  /// `P = Q A` on the pattern, for a `Q` whose row `j` has ones at the rows `starts[j]` to
  /// `starts[j + 1]` of the selection: how often each column occurs in them.
  ///
  /// @param arena shared, owner of `P`
  CsrMatrix product(Arena arena, int[] starts, Workers workers) {
    long[] pointers = new long[starts.length];
    for (int j = 0; j < starts.length; j++) {
      pointers[j] = starts[j];
    }
    Spgemm right = paths == null ? paths(matrix) : paths;
    paths = right;
    CsrMatrix q = CsrMatrix.of(arena, Math.toIntExact(matrix.rows()), pointers, at, null);
    return right.multiply(arena, q, workers);
  }
}
