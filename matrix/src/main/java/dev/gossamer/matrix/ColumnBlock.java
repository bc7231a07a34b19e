package dev.gossamer.matrix;

/// A view of consecutive columns of a matrix, with the row pitch of the whole matrix. Wide matrices
/// are moved and multiplied block by block, without a copy.
///
/// @param matrix borrowed
/// @param begin first column
/// @param end the column after the last
public record ColumnBlock(DenseMatrix matrix, int begin, int end) {
  /// Checks the range.
  ///
  /// @throws IndexOutOfBoundsException if the matrix has no such columns
  public ColumnBlock {
    if (begin < 0 || begin > end || end > matrix.cols()) {
      throw new IndexOutOfBoundsException("columns %d..%d of %s".formatted(begin, end, matrix));
    }
  }

  /// {@return all columns of a matrix}
  ///
  /// @param matrix borrowed
  public static ColumnBlock all(DenseMatrix matrix) {
    return new ColumnBlock(matrix, 0, matrix.cols());
  }

  /// {@return whether these are all columns of the matrix}
  public boolean isAll() {
    return cols() == matrix.cols();
  }

  /// {@return the number of rows}
  public long rows() {
    return matrix.rows();
  }

  /// {@return the number of columns}
  public int cols() {
    return end - begin;
  }

  /// {@return the bytes of a row of the block}
  public long rowBytes() {
    return (long) cols() * DenseMatrix.ELEMENT_BYTES;
  }

  /// {@return the bytes from row to row}
  public long pitch() {
    return (long) matrix.cols() * DenseMatrix.ELEMENT_BYTES;
  }

  /// {@return the byte offset of a row's first element in the matrix's memory}
  ///
  /// @param row `0..rows-1`
  public long offset(long row) {
    return matrix.offset(row) + (long) begin * DenseMatrix.ELEMENT_BYTES;
  }

  /// Returns the shape, as shown in error messages: `2708 x 16`.
  @Override
  public String toString() {
    return rows() + " x " + cols();
  }
}
