package dev.gossamer.nn.layers;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.clock.PhaseClock;

/// The resources of a layer's computation: the threads of its rank, the chosen dense matmul, and
/// the clock of phases.
///
/// @param workers threads of the rank
/// @param matmul dense products
/// @param clock of phases
public record Kernels(Workers workers, Matmul matmul, PhaseClock clock) {
  /// The name of the product of a gradient and a transposed weight on the timeline.
  static final String INPUT_GRADIENT = "matmul input gradient";

  /// Creates kernels with a clock without a timeline.
  ///
  /// @param workers threads of the rank
  /// @param matmul dense products
  public Kernels(Workers workers, Matmul matmul) {
    this(workers, matmul, new PhaseClock());
  }

  /// Computes `G = T W^T` and measures it.
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

  /// Computes the gradient before an activation, in place over its result, and measures it: `H = G
  /// W^T`, with ReLU only where `H` is positive, otherwise 0.
  ///
  /// @param g `m x out`
  /// @param weight `in x out`
  /// @param h `m x in`, overwritten
  /// @param before none or ReLU, with its dropout
  void timesTransposed(DenseMatrix g, DenseMatrix weight, DenseMatrix h, Activation before) {
    if (before.isNone()) {
      timesTransposed(g, weight, h);
      return;
    }
    clock.measure(
        Phase.MATMUL,
        INPUT_GRADIENT,
        () -> matmul.multiplyTransposedMasked(g, weight, h, before.slope(), workers));
  }

  /// Does the same after any activation: that of an ELU takes both the product and what is in `H`.
  ///
  /// @param g `m x out`
  /// @param weight `in x out`
  /// @param h `m x in`, overwritten
  /// @param before activation of the previous layer
  /// @param memory has `m x in` more numbers if that is an ELU
  void inputGradient(
      DenseMatrix g, DenseMatrix weight, DenseMatrix h, Activation before, Pieces memory) {
    if (!before.isElu()) {
      timesTransposed(g, weight, h, before);
      return;
    }
    DenseMatrix product = memory.next(h.rows(), h.cols());
    timesTransposed(g, weight, product);
    Epilogues.apply(before.gated(product), h, workers);
  }
}
