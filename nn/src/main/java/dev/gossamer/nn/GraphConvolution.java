package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.kernel.ColumnSums;
import dev.gossamer.matrix.kernel.RowEpilogue;

/// The graph convolution of Kipf and Welling (2017) in the order and the buffers of MG-GCN (MG,
/// sections 4.2 and 4.4): `Z = Â H W + b`, `H' = sigma(Z)`, where `Â` is the normalised matrix of
/// an [Aggregation].
///
/// The layer holds its parameters only. Its input, its output and one shared buffer belong to the
/// caller and are reused by the backward pass: `H'` overwrites `Z`, the gradient `T = dL/dZ`
/// overwrites `H'`, and `S = Â^T T` overwrites the shared buffer. Then `dW = H^T S` and `dL/dH = S
/// W^T` whichever product came first in the forward pass, because `(Â H)^T T = H^T (Â^T T)`.
///
/// MG skips the `Â^T T` of the first layer by treating the matrix as the identity, which changes
/// the gradient. Here the first layer is free of it exactly: with `Â X` computed once, the layer is
/// [Order#TRANSFORM_ONLY] on that input.
///
/// @param name prefix of its parameters: `layers.0`
/// @param in width of `H`
/// @param out width of `Z`
public record GraphConvolution(String name, int in, int out, Order order) {
  /// Which product comes first.
  public enum Order {
    /// `Â (H W)`: cheaper when the layer narrows.
    TRANSFORM_FIRST,
    /// `(Â H) W`: cheaper when the layer widens.
    AGGREGATE_FIRST,
    /// `H W`: a plain dense layer, for an input that is already aggregated or a network that
    /// ignores the graph.
    TRANSFORM_ONLY;

    /// The cheaper order for an SpMM and a matmul of these widths (MG, section 4.4).
    public static Order cheapest(int in, int out) {
      return in < out ? AGGREGATE_FIRST : TRANSFORM_FIRST;
    }
  }

  /// Adds weight (Glorot-initialised by the caller) and bias to a layout. Biases never decay.
  ///
  /// @param decays whether weight decay pulls at the weight
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    layout.add(name + ".weight", in, out, decays);
    layout.add(name + ".bias", 1, out, false);
  }

  /// Columns of the shared buffer that the passes need; 0 if they need none.
  public int sharedWidth() {
    return switch (order) {
      case TRANSFORM_FIRST -> out;
      case AGGREGATE_FIRST -> Math.max(in, out);
      case TRANSFORM_ONLY -> 0;
    };
  }

  /// `H' = sigma(Â H W + b)`.
  ///
  /// @param input `H`, `n x in`; dense if the order is [Order#AGGREGATE_FIRST]
  /// @param shared at least `n x sharedWidth`, overwritten
  /// @param output `n x out`, overwritten
  public void forward(
      LayerInput input,
      Aggregation aggregation,
      DenseMatrix shared,
      DenseMatrix output,
      Activation activation,
      ModelState state,
      Kernels kernels) {
    DenseMatrix weight = state.weight(name + ".weight");
    RowEpilogue sigma = activation.after(state.weight(name + ".bias").data());
    switch (order) {
      case TRANSFORM_FIRST -> {
        DenseMatrix hw = shared.reshaped(output.rows(), out);
        input.times(weight, hw, kernels, RowEpilogue.NONE);
        aggregation.forward(hw, output, sigma);
      }
      case AGGREGATE_FIRST -> {
        DenseMatrix ah = shared.reshaped(output.rows(), in);
        aggregation.forward(dense(input), ah, RowEpilogue.NONE);
        new LayerInput.Dense(ah).times(weight, output, kernels, sigma);
      }
      case TRANSFORM_ONLY -> input.times(weight, output, kernels, sigma);
    }
  }

  /// Gradients of weight and bias, into `state`.
  ///
  /// @param gradient `T = dL/dZ`, `n x out`
  /// @param shared at least `n x sharedWidth`, overwritten
  /// @return `S = Â^T T` (`n x out`), over the memory of `shared` or `gradient`: what
  ///   [#inputGradient] wants
  public DenseMatrix backward(
      LayerInput input,
      Aggregation aggregation,
      DenseMatrix gradient,
      DenseMatrix shared,
      ModelState state,
      Kernels kernels) {
    ColumnSums.of(gradient, state.gradient(name + ".bias").data(), kernels.workers());
    DenseMatrix s = gradient;
    if (order != Order.TRANSFORM_ONLY) {
      s = shared.reshaped(gradient.rows(), out);
      aggregation.backward(gradient, s);
    }
    input.transposedTimes(s, state.gradient(name + ".weight"), kernels);
    return s;
  }

  /// `dL/dZ` of the layer before, in place over its output `H`: `(S W^T) (.) sigma'`, where
  /// `sigma'` is read off `H` itself (positive exactly where ReLU and dropout let the value
  /// through).
  ///
  /// @param s what [#backward] returned
  /// @param h output of the layer before, `n x in`, overwritten
  /// @param before activation of the layer before
  public void inputGradient(
      DenseMatrix s, DenseMatrix h, Activation before, ModelState state, Kernels kernels) {
    DenseMatrix weight = state.weight(name + ".weight");
    kernels
        .clock()
        .measure(
            Phase.MATMUL,
            "matmul input gradient",
            () ->
                kernels
                    .matmul()
                    .multiplyTransposedMasked(s, weight, h, before.slope(), kernels.workers()));
  }

  private DenseMatrix dense(LayerInput input) {
    if (input instanceof LayerInput.Dense d) {
      return d.h();
    }
    throw new IllegalArgumentException(name + ": aggregate-first needs a dense input");
  }
}
