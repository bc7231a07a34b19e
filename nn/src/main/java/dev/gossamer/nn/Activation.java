package dev.gossamer.nn;

import dev.gossamer.matrix.kernel.Dropout;
import dev.gossamer.matrix.kernel.Epilogues;
import dev.gossamer.matrix.kernel.RowEpilogue;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// What a layer does to `Z`: nothing (the last layer), ReLU, or ReLU and dropout. Because ReLU
/// comes first, the derivative can be read off the result: it is [#slope] where the result is
/// positive and 0 elsewhere.
public final class Activation {
  /// `sigma(z) = z`.
  public static final Activation NONE = new Activation(false, null, 0, 0);

  /// `sigma(z) = max(z, 0)`.
  public static final Activation RELU = new Activation(true, null, 0, 0);

  private final boolean relu;
  private final @Nullable Dropout dropout;
  private final long step;
  private final long firstRow;

  private Activation(boolean relu, @Nullable Dropout dropout, long step, long firstRow) {
    this.relu = relu;
    this.dropout = dropout;
    this.step = step;
    this.firstRow = firstRow;
  }

  /// ReLU, then dropout.
  ///
  /// @param step epoch or batch whose dropout is drawn
  /// @param firstRow row of the whole matrix that row 0 of the layer's output is
  public static Activation reluWithDropout(Dropout dropout, long step, long firstRow) {
    return new Activation(true, dropout, step, firstRow);
  }

  /// Derivative where the result is positive: what dropout multiplied the kept elements with.
  public float slope() {
    return dropout == null ? 1f : dropout.scale();
  }

  /// Adds the bias and applies this activation to finished rows.
  ///
  /// @param bias `float32[cols]`
  RowEpilogue after(MemorySegment bias) {
    if (!relu) {
      return Epilogues.bias(bias);
    }
    return dropout == null
        ? Epilogues.biasRelu(bias)
        : Epilogues.biasReluDropout(bias, dropout, step, firstRow);
  }
}
