package dev.gossamer.nn;

import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// What a layer does to `Z`: nothing (the last layer), ReLU, or ReLU and dropout. Because ReLU
/// comes first, the derivative can be read off the result: it is [#slope] where the result is
/// positive and 0 elsewhere.
public final class Activation {
  /// `sigma(z) = z`.
  public static final Activation NONE = new Activation(false, null, 0, RowIds.from(0));

  /// `sigma(z) = max(z, 0)`.
  public static final Activation RELU = new Activation(true, null, 0, RowIds.from(0));

  private final boolean relu;
  private final @Nullable Dropout dropout;
  private final long step;
  private final RowIds ids;

  private Activation(boolean relu, @Nullable Dropout dropout, long step, RowIds ids) {
    this.relu = relu;
    this.dropout = dropout;
    this.step = step;
    this.ids = ids;
  }

  /// ReLU, then dropout.
  ///
  /// @param dropout which elements are kept
  /// @param step epoch or batch whose dropout is drawn
  /// @param ids rows of the whole matrix that the rows of the layer's output are
  /// @return an activation that draws anew in each step
  public static Activation reluWithDropout(Dropout dropout, long step, RowIds ids) {
    return new Activation(true, dropout, step, ids);
  }

  /// {@return derivative where the result is positive: what dropout multiplied the kept elements
  /// with}
  public float slope() {
    return dropout == null ? 1f : dropout.scale();
  }

  /// Applies this activation to finished rows.
  RowEpilogue rows() {
    if (!relu) {
      return RowEpilogue.NONE;
    }
    return dropout == null
        ? Epilogues.relu()
        : Epilogues.inTurn(Epilogues.relu(), dropout.rows(step, ids));
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
        : Epilogues.biasReluDropout(bias, dropout, step, ids);
  }
}
