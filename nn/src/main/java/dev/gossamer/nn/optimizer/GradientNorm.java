package dev.gossamer.nn.optimizer;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.dense.SquareSum;
import java.lang.foreign.MemorySegment;

/// The norm of a gradient, for clipping (R. Pascanu et al., *On the difficulty of training
/// recurrent neural networks*, ICML 2013), and whether it is finite. Cost: one pass.
///
/// Sums of squares add up over ranks that share a gradient.
///
/// @param sumOfSquares of the gradient, possibly of a scaled loss
public record GradientNorm(double sumOfSquares) {
  /// {@return the norm of a flat gradient, `float32[n]`} The result does not depend on the number
  /// of threads.
  ///
  /// @param gradients `float32[n]`
  /// @param workers threads to use; borrowed
  public static GradientNorm of(MemorySegment gradients, Workers workers) {
    return new GradientNorm(SquareSum.of(gradients, workers));
  }

  /// {@return whether no element is infinite or NaN}
  public boolean finite() {
    return Double.isFinite(sumOfSquares);
  }

  /// {@return the norm of the gradient of the unscaled loss}
  ///
  /// @param lossScale factor of the loss
  public double length(double lossScale) {
    return Math.sqrt(sumOfSquares) / lossScale;
  }

  /// Returns the factor for the gradient, which [Optimizer#step] applies: the inverse of the loss
  /// scale, or less if the norm exceeds its maximum.
  ///
  /// @param lossScale factor of the loss
  /// @param longest maximum norm; infinite for no clipping
  /// @return the factor, at most `1 / lossScale`
  public float factor(double lossScale, double longest) {
    double length = length(lossScale);
    double clip = length > longest ? longest / length : 1;
    return (float) (clip / lossScale);
  }
}
