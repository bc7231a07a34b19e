package dev.gossamer.nn.optimizer;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.dense.SquareSum;
import java.lang.foreign.MemorySegment;

/// The length of a gradient, from one sweep over it: what clipping goes by (R. Pascanu et al., *On
/// the difficulty of training recurrent neural networks*, ICML 2013), and whether all of it is
/// finite.
///
/// Where a gradient is spread over ranks, their sums of squares add up.
///
/// @param sumOfSquares of the gradient as it is, which may be that of a scaled loss
public record GradientNorm(double sumOfSquares) {
  /// {@return the norm of a flat gradient, `float32[n]`} The bits do not depend on the number of
  /// threads.
  ///
  /// @param gradients `float32[n]`
  /// @param workers threads that share the work
  public static GradientNorm of(MemorySegment gradients, Workers workers) {
    return new GradientNorm(SquareSum.of(gradients, workers));
  }

  /// {@return whether no element is infinite or NaN}
  public boolean finite() {
    return Double.isFinite(sumOfSquares);
  }

  /// {@return the length of the gradient of the loss itself}
  ///
  /// @param lossScale what the loss was multiplied with
  public double length(double lossScale) {
    return Math.sqrt(sumOfSquares) / lossScale;
  }

  /// Returns the factor for the gradient, which [Optimizer#step] applies: the inverse of the loss
  /// scale, and less if the gradient is longer than allowed.
  ///
  /// @param lossScale what the loss was multiplied with
  /// @param longest allowed length; infinite where nothing is clipped
  /// @return the factor, at most `1 / lossScale`
  public float factor(double lossScale, double longest) {
    double length = length(lossScale);
    double clip = length > longest ? longest / length : 1;
    return (float) (clip / lossScale);
  }
}
