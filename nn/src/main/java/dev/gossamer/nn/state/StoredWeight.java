package dev.gossamer.nn.state;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.StoredProducts;
import dev.gossamer.matrix.format.StoredMatrix;
import java.lang.foreign.MemorySegment;

/// A parameter that products read as a dense matrix.
sealed interface StoredWeight extends Weight permits WholeWeight, PrunedWeight {
  /// {@return `k x n`, read by products}
  StoredMatrix operand();

  @Override
  default int rows() {
    return Math.toIntExact(operand().rows());
  }

  @Override
  default int cols() {
    return operand().cols();
  }

  @Override
  default void multiply(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    StoredProducts.multiply(x, operand(), y, w, epilogue);
  }

  @Override
  default void multiplyTransposed(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    StoredProducts.multiplyTransposed(x, operand(), y, w, epilogue);
  }

  @Override
  default void row(int row, MemorySegment to) {
    operand().row(row, to);
  }
}
