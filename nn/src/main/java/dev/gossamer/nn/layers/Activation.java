package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// What a layer does to `Z`: nothing (the last layer), ReLU or ELU, or one of them and dropout. The
/// derivative can be read off the result `h`: behind ReLU it is [#slope] where `h` is positive and
/// 0 elsewhere; behind ELU it is [#slope] where `h` is positive and `h` plus that where it is
/// negative.
public final class Activation {
  /// `sigma(z) = z`.
  public static final Activation NONE = new Activation(null, null, 0, RowIds.from(0));

  /// `sigma(z) = max(z, 0)`.
  public static final Activation RELU = of(Function.RELU);

  /// A function that is not linear.
  public enum Function {
    /// `max(z, 0)`.
    RELU,
    /// `z` where that is positive, else `exp(z) - 1`.
    ELU
  }

  private final @Nullable Function function;
  private final @Nullable Dropout dropout;
  private final long step;
  private final RowIds ids;

  private Activation(
      @Nullable Function function, @Nullable Dropout dropout, long step, RowIds ids) {
    this.function = function;
    this.dropout = dropout;
    this.step = step;
    this.ids = ids;
  }

  /// Returns a function without dropout.
  ///
  /// @param function what is applied to each element
  /// @return the activation
  public static Activation of(Function function) {
    return new Activation(function, null, 0, RowIds.from(0));
  }

  /// Returns a function followed by dropout.
  ///
  /// @param function what is applied to each element
  /// @param dropout which elements are kept
  /// @param step epoch or batch whose dropout is drawn
  /// @param ids rows of the whole matrix that the rows of the layer's output are
  /// @return an activation that draws again in each step
  public static Activation withDropout(Function function, Dropout dropout, long step, RowIds ids) {
    return new Activation(function, dropout, step, ids);
  }

  /// {@return derivative where the result is positive: what dropout multiplied the kept elements
  /// with}
  public float slope() {
    return dropout == null ? 1f : dropout.scale();
  }

  /// Whether the derivative is not 0 only where the result is positive.
  boolean isElu() {
    return function == Function.ELU;
  }

  /// The backward pass, in place over what came out of this activation.
  ///
  /// @param gradient of the result
  RowEpilogue gated(DenseMatrix gradient) {
    return isElu() ? Epilogues.eluGated(gradient, slope()) : Epilogues.gated(gradient, slope());
  }

  /// Applies this activation to finished rows.
  RowEpilogue rows() {
    return switch (function) {
      case null -> RowEpilogue.NONE;
      case RELU -> thenDropped(Epilogues.relu());
      case ELU -> thenDropped(Epilogues.elu());
    };
  }

  /// Adds the bias and applies this activation to finished rows.
  ///
  /// @param bias `float32[cols]`
  RowEpilogue after(MemorySegment bias) {
    return switch (function) {
      case null -> Epilogues.bias(bias);
      case RELU -> thenDropped(Epilogues.biasRelu(bias));
      case ELU -> thenDropped(Epilogues.inTurn(Epilogues.bias(bias), Epilogues.elu()));
    };
  }

  private RowEpilogue thenDropped(RowEpilogue step) {
    return dropout == null ? step : Epilogues.inTurn(step, dropout.rows(this.step, ids));
  }
}
