package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The function that a layer applies to `Z`: the identity (last layer), ReLU, ELU, GELU or PReLU,
/// optionally with dropout. The derivative follows from the result `h`, except for the last two:
/// for ReLU, it is [#slope] where `h` is positive and 0 elsewhere; for ELU, it is [#slope] where
/// `h` is positive and `h` plus [#slope] where it is negative.
public final class Activation {
  /// `sigma(z) = z`.
  public static final Activation NONE = new Activation(null, null, 0, RowIds.from(0));

  /// `sigma(z) = max(z, 0)`.
  public static final Activation RELU = of(Function.RELU);

  /// A nonlinear function.
  public enum Function {
    /// `max(z, 0)`.
    RELU,
    /// `z` if positive, otherwise `exp(z) - 1`.
    ELU,
    /// `z Phi(z)` with the normal distribution's `Phi` (D. Hendrycks and K. Gimpel, 2016), in its
    /// approximation by `tanh`.
    GELU,
    /// `z` if positive, otherwise `a z` with a slope `a` that is trained, a parameter of each
    /// [FinishedLayer], which computes it.
    PRELU
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
  /// @param function applied to each element
  /// @return the activation
  public static Activation of(Function function) {
    return new Activation(function, null, 0, RowIds.from(0));
  }

  /// Returns a function followed by dropout.
  ///
  /// @param function applied to each element
  /// @param dropout which elements are kept
  /// @param step epoch or batch whose dropout is drawn
  /// @param ids global row ids of the layer's output
  /// @return an activation that draws dropout again in each step
  public static Activation withDropout(Function function, Dropout dropout, long step, RowIds ids) {
    return new Activation(function, dropout, step, ids);
  }

  /// {@return the derivative where the result is positive: the factor of elements that dropout
  /// keeps}
  public float slope() {
    return dropout == null ? 1f : dropout.scale();
  }

  /// Returns whether this is the identity, whose derivative is 1 everywhere.
  boolean isNone() {
    return function == null;
  }

  /// Returns whether the derivative is nonzero for negative results.
  boolean isElu() {
    return function == Function.ELU;
  }

  /// Returns the backward pass, in place over the result of this activation.
  ///
  /// @param gradient of the result
  /// @throws IllegalStateException if it does not follow from the result
  RowEpilogue gated(DenseMatrix gradient) {
    return switch (function) {
      case null -> Epilogues.copy(gradient);
      case RELU -> Epilogues.gated(gradient, slope());
      case ELU -> Epilogues.eluGated(gradient, slope());
      case GELU -> throw new IllegalStateException("gelu: the result does not give the derivative");
      case PRELU -> throw slopeUnknown();
    };
  }

  /// Returns the backward pass, in place over the argument of this activation.
  ///
  /// @param gradient of the result
  RowEpilogue derivative(DenseMatrix gradient) {
    return switch (function) {
      case null -> Epilogues.copy(gradient);
      case RELU -> thenDropped(Epilogues.gated(gradient, 1f));
      case ELU -> thenDropped(Epilogues.inTurn(Epilogues.elu(), Epilogues.eluGated(gradient, 1f)));
      case GELU -> thenDropped(Epilogues.geluGated(gradient));
      case PRELU -> throw slopeUnknown();
    };
  }

  /// Returns the function without its dropout.
  Activation undropped() {
    return function == null ? NONE : of(function);
  }

  /// Returns the dropout without its function.
  RowEpilogue dropping() {
    return dropout == null ? RowEpilogue.NONE : dropout.rows(step, ids);
  }

  /// Applies this activation to finished rows.
  RowEpilogue rows() {
    return switch (function) {
      case null -> RowEpilogue.NONE;
      case RELU -> thenDropped(Epilogues.relu());
      case ELU -> thenDropped(Epilogues.elu());
      case GELU -> thenDropped(Epilogues.gelu());
      case PRELU -> throw slopeUnknown();
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
      case GELU -> thenDropped(Epilogues.inTurn(Epilogues.bias(bias), Epilogues.gelu()));
      case PRELU -> throw slopeUnknown();
    };
  }

  private static IllegalStateException slopeUnknown() {
    return new IllegalStateException("prelu: the slope is a parameter of a finished layer");
  }

  private RowEpilogue thenDropped(RowEpilogue step) {
    return dropout == null ? step : Epilogues.inTurn(step, dropout.rows(this.step, ids));
  }
}
