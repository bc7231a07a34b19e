package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A layer of a network on a graph, written once against a [GraphView]: it does not depend on
/// whether the view is a whole graph or a sampled block.
///
/// A layer owns only its parameters. `H'` overwrites `Z`, and the gradient `T = dL/dZ` overwrites
/// `H'`; all other memory belongs to the caller (see [LayerPass]). A layer may leave rows for all
/// later ones ([#carriedWidth]). What follows a layer, if it is more than an activation that is
/// fused into its last kernel, is a [FinishedLayer] around it.
public interface GraphLayer {
  /// {@return the prefix of its parameter names: `layers.0`}
  String name();

  /// {@return the width of `H`}
  int in();

  /// {@return the width of `Z`}
  int out();

  /// {@return the order of the layer's products}
  Order order();

  /// {@return this layer in two halves, the first of which does not read the graph; null if it has
  /// none}
  default @Nullable LayerHalves halves() {
    return null;
  }

  /// {@return the name of the bias that is added to all rows of `Z`, and to nothing before; null if
  /// there is none}
  default @Nullable String shift() {
    return null;
  }

  /// {@return whether the layer reads the targets' own input rows in addition to aggregated rows}
  default boolean readsOwnRows() {
    return false;
  }

  /// {@return columns of the rows, of their own targets, that this layer and those before it leave
  /// for all later ones ([LayerPass#carried]); 0 if this layer leaves none} All layers of a network
  /// leave theirs in one matrix.
  default int carriedWidth() {
    return 0;
  }

  /// {@return whether this layer, the last, makes its output of the carried rows} Then only those
  /// of its own targets are carried, and its backward pass overwrites them with their gradient.
  default boolean joinsCarried() {
    return false;
  }

  /// {@return the activation whose derivative the next layer applies, in [#inputGradient]:
  /// [Activation#NONE] of a layer that applies it itself}
  ///
  /// @param activation of this layer
  default Activation leftToNext(Activation activation) {
    return activation;
  }

  /// Adds the parameters (initialised by the caller) to a layout. Biases have no weight decay.
  ///
  /// @param layout to add to
  /// @param decays whether weight decay applies to the weights
  void declare(ParameterLayout.Builder layout, boolean decays);

  /// {@return the number of elements of shared memory that the passes need}
  ///
  /// @param size of the largest pass
  /// @param backward the requested part of the backward pass
  long sharedElements(PassSize size, Backward backward);

  /// {@return the number of elements that are kept from the forward to the backward pass}
  ///
  /// @param size of the largest pass
  long keptElements(PassSize size);

  /// {@return the maximum width of aggregated or gathered rows; 0 if there are none}
  int aggregatedWidth();

  /// {@return the products of a step, in order}
  ///
  /// @param backward the requested part of the backward pass
  List<LayerProduct> products(Backward backward);

  /// Computes `H' = sigma(Z)`.
  ///
  /// @param pass input, output and memory of the layer
  /// @param state parameters and gradients
  /// @param kernels for the computation
  /// @throws IllegalArgumentException if the order aggregates first and the input is sparse
  void forward(LayerPass pass, DenseState state, Kernels kernels);

  /// Computes the gradients of the parameters, into `state`, from `T` in the pass's output.
  ///
  /// @param pass input, output and memory of the layer
  /// @param state parameters and gradients
  /// @param kernels for the computation
  void backward(LayerPass pass, DenseState state, Kernels kernels);

  /// Computes `dL/dZ` of the previous layer, in place over its output `H`: `dL/dH (.) sigma'`,
  /// where `sigma'` is derived from `H` itself (positive exactly where ReLU and dropout pass the
  /// value); 1 with [Activation#NONE].
  ///
  /// @param pass as left by [#backward]; its kept and shared memory is overwritten
  /// @param h output of the previous layer, `sources x in`, overwritten
  /// @param before activation of the previous layer
  /// @param state parameters and gradients
  /// @param kernels for the computation
  void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels);
}
