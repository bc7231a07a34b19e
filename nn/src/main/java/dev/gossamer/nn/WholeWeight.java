package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.dense.OuterBlocks;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.StoredProducts;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.format.StoredMatrix;
import java.lang.foreign.MemorySegment;

/// A parameter all of which is kept.
///
/// @param operand `k x n`, what products read
/// @param gradient `k x n`
record WholeWeight(StoredMatrix operand, DenseMatrix gradient) implements Weight {
  @Override
  public int rows() {
    return Math.toIntExact(operand.rows());
  }

  @Override
  public int cols() {
    return operand.cols();
  }

  @Override
  public void multiply(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    StoredProducts.multiply(x, operand, y, w, epilogue);
  }

  @Override
  public void multiplyTransposed(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    StoredProducts.multiplyTransposed(x, operand, y, w, epilogue);
  }

  @Override
  public void addGradient(DenseMatrix x, DenseMatrix t, Workers w) {
    Weights.requireGradient(this, x, t);
    OuterBlocks.multiply(x, t, w, block -> block.addTo(gradient));
  }

  @Override
  public void addGradientRows(int begin, int end, MemorySegment values) {
    NumberFormat.FLOAT32.addWidened(values, gradient.rows(begin, end).data());
  }

  @Override
  public void row(int row, MemorySegment to) {
    operand.row(row, to);
  }
}
