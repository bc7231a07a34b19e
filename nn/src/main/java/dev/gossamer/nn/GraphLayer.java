package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;
import java.util.List;

/// A layer of a network on a graph, written once against a [GraphView]: whether a whole graph or a
/// sampled block is behind that is not its business.
///
/// A layer holds its parameters only. `H'` overwrites `Z`, and the gradient `T = dL/dZ` overwrites
/// `H'`; the rest of its memory is the caller's too (see [LayerPass]).
public interface GraphLayer {
  /// {@return prefix of its parameters: `layers.0`}
  String name();

  /// {@return width of `H`}
  int in();

  /// {@return width of `Z`}
  int out();

  /// {@return which product of the layer comes first}
  Order order();

  /// {@return whether the layer reads the targets' own rows of the input beside what it aggregates}
  default boolean readsOwnRows() {
    return false;
  }

  /// Adds the parameters (initialised by the caller) to a layout. Biases never decay.
  ///
  /// @param layout to add to
  /// @param decays whether weight decay pulls at the weights
  void declare(ParameterLayout.Builder layout, boolean decays);

  /// {@return elements of shared memory that the passes need}
  ///
  /// @param size of the largest pass
  /// @param backward what is asked for behind the forward pass
  long sharedElements(PassSize size, Backward backward);

  /// {@return elements that are kept from the forward to the backward pass}
  ///
  /// @param size of the largest pass
  long keptElements(PassSize size);

  /// {@return most columns of what is aggregated, or gathered; 0 if nothing is}
  int aggregatedWidth();

  /// {@return the products of a step, in the order in which they are made}
  ///
  /// @param backward what is asked for behind the forward pass
  List<LayerProduct> products(Backward backward);

  /// `H' = sigma(Z)`.
  ///
  /// @param pass input, output and memory of the layer
  /// @param activation applied to finished rows
  /// @param state parameters and gradients
  /// @param kernels what to compute with
  /// @throws IllegalArgumentException if the order aggregates first and the input is sparse
  void forward(LayerPass pass, Activation activation, DenseState state, Kernels kernels);

  /// Gradients of the parameters, into `state`, from `T` in the pass's output.
  ///
  /// @param pass input, output and memory of the layer
  /// @param state parameters and gradients
  /// @param kernels what to compute with
  void backward(LayerPass pass, DenseState state, Kernels kernels);

  /// `dL/dZ` of the layer before, in place over its output `H`: `dL/dH (.) sigma'`, where `sigma'`
  /// is read off `H` itself (positive exactly where ReLU and dropout let the value through).
  ///
  /// @param pass as [#backward] left it; what it keeps and shares is overwritten
  /// @param h output of the layer before, `sources x in`, overwritten
  /// @param before activation of the layer before
  /// @param state parameters and gradients
  /// @param kernels what to compute with
  void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels);
}
