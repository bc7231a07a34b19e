package dev.gossamer.nn.layers;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.clock.Phase;
import org.jspecify.annotations.Nullable;

/// The input that a layer multiplies with its weights: the activations of the previous layer, or
/// the input features, dense or sparse.
public sealed interface LayerInput {
  /// {@return the number of rows of `H`}
  long rows();

  /// Computes `Y = H W`.
  ///
  /// @param weight `width x d`
  /// @param y `rows x d`, overwritten
  /// @param kernels for the computation
  /// @param epilogue applied to finished rows while they are in cache
  void times(DenseMatrix weight, DenseMatrix y, Kernels kernels, RowEpilogue epilogue);

  /// Computes `G = H^T S`, the gradient of the weights.
  ///
  /// @param s `rows x d`
  /// @param gradient `width x d`, overwritten
  /// @param kernels for the computation
  void transposedTimes(DenseMatrix s, DenseMatrix gradient, Kernels kernels);

  /// Copies the rows.
  ///
  /// @param h `rows x width`, overwritten
  void copyTo(DenseMatrix h);

  /// A dense input.
  ///
  /// @param h the rows, `rows x width`
  record Dense(DenseMatrix h) implements LayerInput {
    @Override
    public void copyTo(DenseMatrix to) {
      to.copyFrom(h);
    }

    @Override
    public long rows() {
      return h.rows();
    }

    @Override
    public void times(DenseMatrix weight, DenseMatrix y, Kernels kernels, RowEpilogue epilogue) {
      kernels
          .clock()
          .measure(
              Phase.MATMUL,
              () -> kernels.matmul().multiply(h, weight, y, kernels.workers(), epilogue));
    }

    @Override
    public void transposedTimes(DenseMatrix s, DenseMatrix gradient, Kernels kernels) {
      kernels
          .clock()
          .measure(
              Phase.MATMUL,
              "matmul weight gradient",
              () -> kernels.matmul().transposedMultiply(h, s, gradient, kernels.workers()));
    }
  }

  /// A sparse input and its transpose, so that both products are sums over rows in a fixed order.
  ///
  /// @param x the stored elements, `rows x width`
  /// @param transpose null without a backward pass
  record Sparse(Spmm x, @Nullable Spmm transpose) implements LayerInput {
    @Override
    public long rows() {
      return x.matrix().rows();
    }

    @Override
    public void copyTo(DenseMatrix h) {
      CsrMatrix rows = x.matrix();
      h.fill(0f);
      for (long i = 0; i < rows.rows(); i++) {
        for (long e = rows.rowPointer(i); e < rows.rowPointer(i + 1); e++) {
          h.set(i, rows.column(e), rows.value(e));
        }
      }
    }

    @Override
    public void times(DenseMatrix weight, DenseMatrix y, Kernels kernels, RowEpilogue epilogue) {
      kernels
          .clock()
          .measure(
              Phase.SPMM,
              "spmm input features",
              () -> x.multiply(weight, y, kernels.workers(), epilogue));
    }

    @Override
    public void transposedTimes(DenseMatrix s, DenseMatrix gradient, Kernels kernels) {
      if (transpose == null) {
        throw new IllegalStateException("an input for evaluation has no transpose");
      }
      kernels
          .clock()
          .measure(
              Phase.SPMM,
              "spmm weight gradient",
              () -> transpose.multiply(s, gradient, kernels.workers(), RowEpilogue.NONE));
    }
  }
}
