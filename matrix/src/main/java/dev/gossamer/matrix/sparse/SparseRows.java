package dev.gossamer.matrix.sparse;

import jdk.incubator.vector.FloatVector;

/// The inner loops of [SparseProducts]: sums of weighted rows of a panel of `X^T`, a stripe of
/// columns at a time ([SparseRowLoops]).
///
/// Unlike [SpmmRows] they read the entries where these lie: a panel meets an entry so few times
/// that copying entries to arrays first took longer than the arrays gained.
final class SparseRows {
  private static final long BYTES = FloatVector.SPECIES_PREFERRED.vectorByteSize();

  /// Vectors of the stripes.
  private static final int[] VECTORS = {8, 4, 2, 1};

  /// The loops behind an interface, for the reason that [SpmmRows] has.
  private static final Stripe[] STRIPES = {
    SparseRowLoops::rows8, SparseRowLoops::rows4, SparseRowLoops::rows2, SparseRowLoops::rows1
  };

  @FunctionalInterface
  private interface Stripe {
    void sum(
        long starts, int count, long ids, long values, long x, long y, long pitch, boolean add);
  }

  private SparseRows() {}

  /// Multiplies consecutive rows of entries with a panel. All are addresses.
  ///
  /// @param starts `int32[count + 1]`: number of each row's first entry
  /// @param count rows
  /// @param ids `uint8`: of entry 0, the row of the panel that it is multiplied with
  /// @param values `float32`, of entry 0
  /// @param x the panel
  /// @param y the first row of the result
  /// @param pitch bytes from row to row of panel and result: whole vectors
  /// @param add whether to add to `y` or to overwrite it
  static void multiply(
      long starts, int count, long ids, long values, long x, long y, long pitch, boolean add) {
    long column = 0;
    for (int kind = 0; column < pitch; kind++) {
      long bytes = VECTORS[kind] * BYTES;
      for (; column + bytes <= pitch; column += bytes) {
        STRIPES[kind].sum(starts, count, ids, values, x + column, y + column, pitch, add);
      }
    }
  }
}
