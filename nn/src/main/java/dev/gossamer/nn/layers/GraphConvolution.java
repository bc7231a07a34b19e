package dev.gossamer.nn.layers;

import static dev.gossamer.nn.layers.LayerProduct.Rows.SOURCES;
import static dev.gossamer.nn.layers.LayerProduct.Rows.TARGETS;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/// The graph convolution of Kipf and Welling (2017) with the order and the buffers of MG-GCN (MG,
/// sections 4.2 and 4.4): `Z = Â H W + b`, `H' = sigma(Z)`, where `Â` is the normalised matrix of
/// an [Aggregation].
///
/// The backward pass computes `S = Â^T T`, which overwrites the shared buffer. Then `dW = H^T S`
/// and `dL/dH = S W^T` for either order of the forward products, because `(Â H)^T T = H^T (Â^T T)`.
/// Only [Order#AGGREGATE_AND_KEEP] computes `dW = (Â H)^T T` and `dL/dH = Â^T (T W^T)` instead.
///
/// MG skips the `Â^T T` of the first layer by treating the matrix as the identity, which changes
/// the gradient. Here the first layer avoids it exactly: `Â X` is computed once, and the layer is
/// [Order#TRANSFORM_ONLY] on that input.
///
/// @param name prefix of its parameters: `layers.0`
/// @param in width of `H`
/// @param out width of `Z`
/// @param order of the products
public record GraphConvolution(String name, int in, int out, Order order)
    implements GraphLayer, LayerHalves {
  /// Declares one weight (`in x out`) and a bias.
  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    layout.add(name + ".weight", in, out, decays);
    layout.add(name + ".bias", 1, out, false);
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
  public long sharedElements(PassSize size, Backward backward) {
    return switch (order) {
      case TRANSFORM_FIRST -> size.sources() * out;
      case AGGREGATE_FIRST -> Math.max(size.targets() * in, size.sources() * out);
      case AGGREGATE_AND_KEEP -> backward == Backward.INPUT ? size.sources() * in : 0;
      case TRANSFORM_ONLY -> 0;
    };
  }

  @Override
  public long keptElements(PassSize size) {
    return order == Order.AGGREGATE_AND_KEEP ? size.targets() * in : 0;
  }

  @Override
  public int aggregatedWidth() {
    return switch (order) {
      case TRANSFORM_FIRST -> out;
      case AGGREGATE_FIRST -> Math.max(in, out);
      case AGGREGATE_AND_KEEP -> in;
      case TRANSFORM_ONLY -> 0;
    };
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    boolean sources = order == Order.TRANSFORM_FIRST || order == Order.TRANSFORM_ONLY;
    boolean keeps = order == Order.AGGREGATE_AND_KEEP;
    List<LayerProduct> products = new ArrayList<>();
    if (order == Order.AGGREGATE_FIRST || keeps) {
      products.add(new LayerProduct.Aggregated(in, false));
    }
    products.add(new LayerProduct.Dense(sources ? SOURCES : TARGETS, in, out, sources, false));
    if (order == Order.TRANSFORM_FIRST) {
      products.add(new LayerProduct.Aggregated(out, false));
    }
    if (backward == Backward.NONE) {
      return products;
    }
    if (order == Order.TRANSFORM_FIRST || order == Order.AGGREGATE_FIRST) {
      products.add(new LayerProduct.Aggregated(out, true));
    }
    products.add(new LayerProduct.Dense(keeps ? TARGETS : SOURCES, in, out, !keeps, true));
    if (backward == Backward.INPUT) {
      products.add(new LayerProduct.Dense(keeps ? TARGETS : SOURCES, out, in, false, false));
      if (keeps) {
        products.add(new LayerProduct.Aggregated(in, true));
      }
    }
    return products;
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    DenseMatrix weight = state.weight(name + ".weight");
    RowEpilogue sigma = pass.activation().after(state.weight(name + ".bias").data());
    switch (order) {
      case TRANSFORM_FIRST -> {
        DenseMatrix hw = pass.shared().reshaped(pass.sourceRows(), out);
        transform(pass, hw, pass.output(), state, kernels);
        aggregate(pass, hw, pass.output(), state, kernels);
      }
      case AGGREGATE_FIRST -> {
        DenseMatrix ah = pass.shared().reshaped(pass.targetRows(), in);
        pass.aggregate(ah);
        new LayerInput.Dense(ah).times(weight, pass.output(), kernels, sigma);
      }
      case AGGREGATE_AND_KEEP -> {
        pass.aggregate(kept(pass));
        new LayerInput.Dense(kept(pass)).times(weight, pass.output(), kernels, sigma);
      }
      case TRANSFORM_ONLY -> pass.sources().times(weight, pass.output(), kernels, sigma);
    }
  }

  @Override
  public void transform(
      LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
    pass.sources().times(state.weight(name + ".weight"), hw, kernels, RowEpilogue.NONE);
  }

  @Override
  public void aggregate(
      LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
    RowEpilogue sigma = pass.activation().after(state.weight(name + ".bias").data());
    pass.aggregation().forward(hw, pass.output(), sigma);
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    ColumnSums.of(pass.output(), state.gradient(name + ".bias").data(), kernels.workers());
    DenseMatrix gradient = state.gradient(name + ".weight");
    switch (order) {
      case TRANSFORM_FIRST, AGGREGATE_FIRST -> {
        DenseMatrix s = s(pass);
        pass.aggregation().backward(pass.output(), s);
        pass.sources().transposedTimes(s, gradient, kernels);
      }
      case AGGREGATE_AND_KEEP ->
          new LayerInput.Dense(kept(pass)).transposedTimes(pass.output(), gradient, kernels);
      case TRANSFORM_ONLY -> pass.sources().transposedTimes(pass.output(), gradient, kernels);
    }
  }

  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    DenseMatrix weight = state.weight(name + ".weight");
    switch (order) {
      case TRANSFORM_FIRST, AGGREGATE_FIRST -> kernels.timesTransposed(s(pass), weight, h, before);
      case AGGREGATE_AND_KEEP -> {
        DenseMatrix sum = pass.shared().reshaped(pass.sourceRows(), in);
        kernels.timesTransposed(pass.output(), weight, kept(pass));
        pass.aggregation().backward(kept(pass), sum);
        Epilogues.apply(before.gated(sum), h, kernels.workers());
      }
      case TRANSFORM_ONLY -> kernels.timesTransposed(pass.output(), weight, h, before);
    }
  }

  /// Where `Â H` is kept.
  private DenseMatrix kept(LayerPass pass) {
    return pass.kept().reshaped(pass.targetRows(), in);
  }

  /// Where `S = Â^T T` is.
  private DenseMatrix s(LayerPass pass) {
    return pass.shared().reshaped(pass.sourceRows(), out);
  }
}
