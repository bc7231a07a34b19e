package dev.gossamer.nn.state;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.sparse.PatternProducts;
import java.lang.foreign.MemorySegment;

/// A pruned parameter whose products use only surviving elements.
///
/// @param products with the pattern
/// @param weights `float32[survivors]`, the masters, in the order of `products`
/// @param gradient `float32[survivors]`, in the same order
record SparseWeight(PatternProducts products, MemorySegment weights, MemorySegment gradient)
    implements Weight {
  @Override
  public int rows() {
    return products.rows();
  }

  @Override
  public int cols() {
    return products.cols();
  }

  @Override
  public void multiply(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    products.multiply(weights, x, y, w, epilogue);
  }

  @Override
  public void multiplyTransposed(DenseMatrix x, DenseMatrix y, Workers w, RowEpilogue epilogue) {
    products.multiplyTransposed(weights, x, y, w, epilogue);
  }

  @Override
  public void addGradient(DenseMatrix x, DenseMatrix t, Workers w) {
    Weights.requireGradient(this, x, t);
    products.addOuter(x, t, gradient, w);
  }

  @Override
  public void addGradientRows(int begin, int end, MemorySegment values) {
    int first = Math.multiplyExact(begin, cols());
    products.compressAdd(first, Math.multiplyExact(end, cols()), values, gradient);
  }

  @Override
  public void row(int row, MemorySegment to) {
    int begin = Math.multiplyExact(row, cols());
    products.expand(begin, Math.addExact(begin, cols()), weights, to);
  }
}
