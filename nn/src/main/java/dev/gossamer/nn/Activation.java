package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.kernel.Dropout;
import dev.gossamer.matrix.kernel.RowEpilogue;
import dev.gossamer.matrix.kernel.RowEpilogues;
import org.jspecify.annotations.Nullable;

/// What a layer does to `Z`: nothing (the last layer), ReLU, or ReLU and dropout. Because ReLU comes first, the derivative can be
/// read off the result: it is [#slope] where the result is positive and 0 elsewhere.
public final class Activation {
  /// `sigma(z) = z`.
  public static final Activation NONE = new Activation(false, null);

  /// `sigma(z) = max(z, 0)`.
  public static final Activation RELU = new Activation(true, null);

  private final boolean relu;
  private final @Nullable Dropout dropout;

  private Activation(boolean relu, @Nullable Dropout dropout) {
    this.relu = relu;
    this.dropout = dropout;
  }

  /// ReLU, then dropout.
  public static Activation reluWithDropout(Dropout dropout) {
    return new Activation(true, dropout);
  }

  /// Derivative where the result is positive: what dropout multiplied the kept elements with.
  public float slope() {
    return dropout == null ? 1f : dropout.scale();
  }

  /// Adds the bias and applies this activation to finished rows.
  RowEpilogue after(DenseMatrix bias) {
    return RowEpilogues.bias(bias.data(), relu, dropout);
  }
}
