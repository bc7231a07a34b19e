package dev.gossamer.matrix;

/// What outputs should be: row `i` of the outputs belongs to row `ids[i]` of a matrix. NaN stands
/// for what is not known, which has no loss.
///
/// @param values the matrix; borrowed
/// @param ids a row of the matrix for each row of the outputs; borrowed
@SuppressWarnings("ArrayRecordComponent")
public record TargetRows(DenseMatrix values, int[] ids) {
  /// Checks that outputs have these rows.
  ///
  /// @param outputs one row for each
  /// @throws IllegalArgumentException if they do not
  public void require(DenseMatrix outputs) {
    if (outputs.rows() != ids.length || outputs.cols() != values.cols()) {
      throw new IllegalArgumentException(
          "loss: outputs are %s but there are %d rows of %d targets"
              .formatted(outputs, ids.length, values.cols()));
    }
  }

  /// {@return the target of an output}
  ///
  /// @param row of the outputs
  /// @param column of both
  public float get(int row, int column) {
    return values.get(ids[row], column);
  }
}
