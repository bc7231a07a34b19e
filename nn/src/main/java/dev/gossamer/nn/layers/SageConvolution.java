package dev.gossamer.nn.layers;

import static dev.gossamer.nn.layers.LayerProduct.Rows.SOURCES;
import static dev.gossamer.nn.layers.LayerProduct.Rows.TARGETS;
import static dev.gossamer.nn.layers.Order.AGGREGATE_AND_KEEP;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/// GraphSAGE with the mean of the neighbours (W. Hamilton, R. Ying and J. Leskovec, 2017; MB,
/// equation 1): `Z = H_v W_self + (Â H) W_neigh + b`, `H' = sigma(Z)`, where `H_v` are the targets'
/// own rows and `Â` takes the mean over the neighbours, or its estimate from a sample. The two
/// weights are the halves of the weight of `[H_v | Â H]` in the publication.
///
/// The backward pass computes `dW_self = H_v^T T`, `dW_neigh = (Â H)^T T`, or `H^T (Â^T T)` if the
/// transformation came first, and `dL/dH = Â^T (T W_neigh^T)`, plus `T W_self^T` in the rows of the
/// targets.
///
/// @param name prefix of its parameters: `layers.0`
/// @param in width of `H`
/// @param out width of `Z`
/// @param order [Order#TRANSFORM_FIRST] for a sparse input, which has no gradient;
///   [Order#TRANSFORM_ONLY] for an already aggregated input, which has none either; otherwise
///   [Order#AGGREGATE_AND_KEEP]
public record SageConvolution(String name, int in, int out, Order order)
    implements GraphLayer, LayerHalves {
  /// Checks the order.
  ///
  /// @throws IllegalArgumentException if the order is [Order#AGGREGATE_FIRST]
  public SageConvolution {
    if (order == Order.AGGREGATE_FIRST) {
      throw new IllegalArgumentException(name + ": a layer that aggregates first keeps the result");
    }
  }

  /// Declares two weights (`in x out`) and a bias.
  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    layout.add(self(), in, out, decays);
    layout.add(neighbours(), in, out, decays);
    layout.add(name + ".bias", 1, out, false);
  }

  private String self() {
    return name + ".self_weight";
  }

  private String neighbours() {
    return name + ".neighbour_weight";
  }

  @Override
  public LayerHalves halves() {
    return this;
  }

  @Override
  public String shift() {
    return name + ".bias";
  }

  @Override
  public boolean readsOwnRows() {
    return true;
  }

  @Override
  public long sharedElements(PassSize size, Backward backward) {
    return order == Order.TRANSFORM_FIRST
        ? size.sources() * out
        : Math.max(size.targets() * out, backward == Backward.INPUT ? size.sources() * in : 0);
  }

  @Override
  public long keptElements(PassSize size) {
    return size.targets() * aggregatedWidth();
  }

  @Override
  public int aggregatedWidth() {
    return switch (order) {
      case TRANSFORM_FIRST -> out;
      case TRANSFORM_ONLY -> 0;
      case AGGREGATE_FIRST, AGGREGATE_AND_KEEP -> in;
    };
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    boolean first = order == Order.TRANSFORM_FIRST;
    LayerProduct.Rows rows = first ? SOURCES : TARGETS;
    boolean ofInput = order != AGGREGATE_AND_KEEP;
    List<LayerProduct> products = new ArrayList<>();
    if (order == AGGREGATE_AND_KEEP) {
      products.add(new LayerProduct.Aggregated(in, false));
    }
    products.add(new LayerProduct.Dense(TARGETS, in, out, true, false));
    products.add(new LayerProduct.Dense(rows, in, out, ofInput, false));
    if (first) {
      products.add(new LayerProduct.Aggregated(out, false));
    }
    if (backward == Backward.NONE) {
      return products;
    }
    products.add(new LayerProduct.Dense(TARGETS, in, out, true, true));
    if (first) {
      products.add(new LayerProduct.Aggregated(out, true));
    }
    products.add(new LayerProduct.Dense(rows, in, out, ofInput, true));
    if (backward == Backward.INPUT) {
      products.add(new LayerProduct.Dense(TARGETS, out, in, false, false));
      products.add(new LayerProduct.Aggregated(in, true));
      products.add(new LayerProduct.Dense(TARGETS, out, in, false, false));
    }
    return products;
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    DenseMatrix self = state.weight(self());
    DenseMatrix neighbours = state.weight(neighbours());
    if (order == Order.TRANSFORM_FIRST) {
      DenseMatrix hw = pass.shared().reshaped(pass.sourceRows(), out);
      pass.own().times(self, kept(pass), kernels, RowEpilogue.NONE);
      pass.sources().times(neighbours, hw, kernels, RowEpilogue.NONE);
      aggregate(pass, hw, kept(pass), state, kernels);
      return;
    }
    if (order != Order.TRANSFORM_ONLY) {
      pass.aggregate(kept(pass));
    }
    DenseMatrix ahw = pass.shared().reshaped(pass.targetRows(), out);
    aggregated(pass).times(neighbours, ahw, kernels, RowEpilogue.NONE);
    pass.own().times(self, pass.output(), kernels, added(ahw, pass.activation(), state));
  }

  @Override
  public void transform(
      LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
    pass.sources().times(state.weight(neighbours()), hw, kernels, RowEpilogue.NONE);
    pass.own().times(state.weight(self()), o, kernels, RowEpilogue.NONE);
  }

  @Override
  public void aggregate(
      LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
    pass.aggregation().forward(hw, pass.output(), added(o, pass.activation(), state));
  }

  /// What finishes a row: the other half of the sum, bias and activation.
  private RowEpilogue added(DenseMatrix half, Activation activation, DenseState state) {
    return Epilogues.inTurn(
        Epilogues.add(half), activation.after(state.weight(name + ".bias").data()));
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    DenseMatrix t = pass.output();
    ColumnSums.of(t, state.gradient(name + ".bias").data(), kernels.workers());
    pass.own().transposedTimes(t, state.gradient(self()), kernels);
    if (order == Order.TRANSFORM_FIRST) {
      DenseMatrix s = pass.shared().reshaped(pass.sourceRows(), out);
      pass.aggregation().backward(t, s);
      pass.sources().transposedTimes(s, state.gradient(neighbours()), kernels);
    } else {
      aggregated(pass).transposedTimes(t, state.gradient(neighbours()), kernels);
    }
  }

  /// @throws IllegalStateException if the order does not support an input gradient
  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    if (order != Order.AGGREGATE_AND_KEEP) {
      throw new IllegalStateException(
          "%s: %s is for an input without a gradient".formatted(name, order));
    }
    DenseMatrix sum = pass.shared().reshaped(pass.sourceRows(), in);
    kernels.timesTransposed(pass.output(), state.weight(neighbours()), kept(pass));
    pass.aggregation().backward(kept(pass), sum);
    kernels.timesTransposed(pass.output(), state.weight(self()), kept(pass));
    Epilogues.apply(Epilogues.add(kept(pass)), sum.rows(0, pass.targetRows()), kernels.workers());
    Epilogues.apply(before.gated(sum), h, kernels.workers());
  }

  /// What is kept: `H_v W_self` if the transformation comes first, else `Â H`.
  private DenseMatrix kept(LayerPass pass) {
    return pass.kept().reshaped(pass.targetRows(), aggregatedWidth());
  }

  /// `Â H`.
  private LayerInput aggregated(LayerPass pass) {
    return order == Order.TRANSFORM_ONLY ? pass.sources() : new LayerInput.Dense(kept(pass));
  }
}
