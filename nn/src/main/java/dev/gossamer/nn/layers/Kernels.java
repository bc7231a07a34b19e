package dev.gossamer.nn.layers;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.clock.PhaseClock;

/// What a layer computes with: the threads of its rank, the chosen dense matmul, and the clock that
/// says where time goes.
///
/// @param workers threads of the rank
/// @param matmul dense products
/// @param clock where time is noted
public record Kernels(Workers workers, Matmul matmul, PhaseClock clock) {
  /// What the product of a gradient and a transposed weight is drawn as.
  static final String INPUT_GRADIENT = "matmul input gradient";

  /// Kernels with a clock that draws nothing.
  ///
  /// @param workers threads of the rank
  /// @param matmul dense products
  public Kernels(Workers workers, Matmul matmul) {
    this(workers, matmul, new PhaseClock());
  }

  /// `G = T W^T`, measured.
  ///
  /// @param t `m x out`
  /// @param weight `in x out`
  /// @param g `m x in`, overwritten
  void timesTransposed(DenseMatrix t, DenseMatrix weight, DenseMatrix g) {
    clock.measure(
        Phase.MATMUL,
        INPUT_GRADIENT,
        () -> matmul.multiplyTransposed(t, weight, g, workers, RowEpilogue.NONE));
  }

  /// `H = G W^T` where `H` is positive, else 0, measured: the gradient before ReLU and dropout, in
  /// place over what came out of them.
  ///
  /// @param g `m x out`
  /// @param weight `in x out`
  /// @param h `m x in`, overwritten
  /// @param slope of ReLU and dropout where they let through
  void timesTransposedMasked(DenseMatrix g, DenseMatrix weight, DenseMatrix h, float slope) {
    clock.measure(
        Phase.MATMUL,
        INPUT_GRADIENT,
        () -> matmul.multiplyTransposedMasked(g, weight, h, slope, workers));
  }
}
