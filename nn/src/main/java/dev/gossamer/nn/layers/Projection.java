package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/// The perceptron with which a first layer begins: `P = sigma(.. ReLU(X W_0 + b_0) .. W_m + b_m)`
/// of the features of each source, before any row is aggregated.
///
/// @param name prefix of its parameters: `layers.0.dense`
/// @param widths of the features, of each hidden layer and of `P`
/// @param decay share of the weight decay that applies to the first weight
/// @param laterDecay that of the others
public record Projection(String name, List<Integer> widths, double decay, double laterDecay) {
  /// Copies the list.
  public Projection {
    widths = List.copyOf(widths);
  }

  private int layers() {
    return widths.size() - 1;
  }

  private String weight(int i) {
    return "%s.%d.weight".formatted(name, i);
  }

  private String bias(int i) {
    return "%s.%d.bias".formatted(name, i);
  }

  /// Declares a weight and a bias for each layer.
  ///
  /// @param layout to add to
  void declare(ParameterLayout.Builder layout) {
    for (int i = 0; i < layers(); i++) {
      layout.add(weight(i), widths.get(i), widths.get(i + 1), i == 0 ? decay : laterDecay);
      layout.add(bias(i), 1, widths.get(i + 1), false);
    }
  }

  /// Returns the number of elements that are kept for the backward pass: the hidden rows.
  long keptElements(long rows) {
    long elements = 0;
    for (int i = 1; i < layers(); i++) {
      elements += Pieces.elements(rows, widths.get(i));
    }
    return elements;
  }

  /// Returns the dense products of a step.
  List<LayerProduct> products(Backward backward) {
    List<LayerProduct> products = new ArrayList<>();
    for (int i = 0; i < layers(); i++) {
      products.add(product(i, false));
    }
    for (int i = layers() - 1; i >= 0 && backward != Backward.NONE; i--) {
      products.add(product(i, true));
      if (i > 0) {
        products.add(
            new LayerProduct.Dense(
                LayerProduct.Rows.SOURCES, widths.get(i + 1), widths.get(i), false, false));
      }
    }
    return products;
  }

  private LayerProduct product(int i, boolean gradient) {
    return new LayerProduct.Dense(
        LayerProduct.Rows.SOURCES, widths.get(i), widths.get(i + 1), i == 0, gradient);
  }

  /// Computes `P`.
  ///
  /// @param pass with the features in its sources, and the activations of hidden layers
  /// @param memory [#keptElements]
  /// @param last activation of `P`
  /// @param p one row for each source, overwritten
  void forward(
      LayerPass pass,
      DenseMatrix memory,
      Activation last,
      DenseMatrix p,
      DenseState state,
      Kernels kernels) {
    Pieces pieces = new Pieces(memory);
    LayerInput input = pass.sources();
    for (int i = 0; i < layers(); i++) {
      boolean end = i == layers() - 1;
      DenseMatrix output = end ? p : pieces.next(p.rows(), widths.get(i + 1));
      Activation sigma = end ? last : pass.inner().apply(i);
      input.times(
          state.weight(weight(i)), output, kernels, sigma.after(state.weight(bias(i)).data()));
      input = new LayerInput.Dense(output);
    }
  }

  /// Computes the gradients of the parameters, into `state`.
  ///
  /// @param pass of the forward pass
  /// @param memory as the forward pass left it; overwritten
  /// @param gradient of `P` before its activation, one row for each source
  void backward(
      LayerPass pass, DenseMatrix memory, DenseMatrix gradient, DenseState state, Kernels kernels) {
    Pieces pieces = new Pieces(memory);
    List<DenseMatrix> hidden = new ArrayList<>();
    for (int i = 1; i < layers(); i++) {
      hidden.add(pieces.next(gradient.rows(), widths.get(i)));
    }
    DenseMatrix t = gradient;
    for (int i = layers() - 1; i >= 0; i--) {
      LayerInput input = i == 0 ? pass.sources() : new LayerInput.Dense(hidden.get(i - 1));
      ColumnSums.of(t, state.gradient(bias(i)).data(), kernels.workers());
      input.transposedTimes(t, state.gradient(weight(i)), kernels);
      if (i > 0) {
        DenseMatrix before = hidden.get(i - 1);
        kernels.timesTransposed(t, state.weight(weight(i)), before, pass.inner().apply(i - 1));
        t = before;
      }
    }
  }
}
