package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/// The layer of the graph isomorphism network (K. Xu et al., 2019, GIN-0): a perceptron of two
/// layers of the sum of a vertex's own row and those of its neighbours, `Z = ReLU(Â H W + b) W_2 +
/// b_2`, where `Â` is the adjacency matrix with self loops, unscaled. The weights of edges count.
/// Theirs scales the own row by `1 + epsilon`; they find that `epsilon = 0` generalises better.
///
/// The first half is a [GraphConvolution], whose output is kept for the second.
///
/// @param first computes `ReLU(Â H W + b)`
public record IsomorphismConvolution(GraphConvolution first) implements GraphLayer, LayerHalves {
  /// Creates a layer.
  ///
  /// @param name prefix of its parameters: `layers.0`
  /// @param in width of `H`
  /// @param out width of `Z`, and of the perceptron's hidden layer
  /// @param order of the products of the first half
  public IsomorphismConvolution(String name, int in, int out, Order order) {
    this(new GraphConvolution(name, in, out, order));
  }

  @Override
  public String name() {
    return first.name();
  }

  @Override
  public int in() {
    return first.in();
  }

  @Override
  public int out() {
    return first.out();
  }

  @Override
  public Order order() {
    return first.order();
  }

  @Override
  public LayerHalves halves() {
    return this;
  }

  @Override
  public String shift() {
    return bias();
  }

  @Override
  public int aggregatedWidth() {
    return first.aggregatedWidth();
  }

  /// Declares the parameters of the first half, and `output.weight` (`out x out`) and
  /// `output.bias`.
  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    first.declare(layout, decays);
    layout.add(weight(), out(), out(), decays);
    layout.add(bias(), 1, out(), false);
  }

  private String weight() {
    return name() + ".output.weight";
  }

  private String bias() {
    return name() + ".output.bias";
  }

  @Override
  public long sharedElements(PassSize size, Backward backward) {
    return first.sharedElements(size, backward);
  }

  @Override
  public long keptElements(PassSize size) {
    return Pieces.elements(size.targets(), out()) + first.keptElements(size);
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    List<LayerProduct> products = new ArrayList<>(first.products(backward));
    LayerProduct.Rows rows = LayerProduct.Rows.TARGETS;
    if (backward != Backward.NONE) {
      products.add(new LayerProduct.Dense(rows, out(), out(), false, true));
      products.add(new LayerProduct.Dense(rows, out(), out(), false, false));
    }
    products.add(new LayerProduct.Dense(rows, out(), out(), false, false));
    return products;
  }

  /// The pass of the first half, whose output is what is kept.
  private LayerPass half(LayerPass pass) {
    Pieces pieces = new Pieces(pass.kept());
    DenseMatrix hidden = pieces.next(pass.targetRows(), out());
    return pass.within(Activation.RELU, pieces.rest(), hidden);
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    LayerPass half = half(pass);
    first.forward(half, state, kernels);
    finish(pass, half, state, kernels);
  }

  @Override
  public void transform(
      LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
    first.transform(pass, hw, o, state, kernels);
  }

  @Override
  public void aggregate(
      LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
    LayerPass half = half(pass);
    first.aggregate(half, hw, o, state, kernels);
    finish(pass, half, state, kernels);
  }

  private void finish(LayerPass pass, LayerPass half, DenseState state, Kernels kernels) {
    new LayerInput.Dense(half.output())
        .times(
            state.weight(weight()),
            pass.output(),
            kernels,
            pass.activation().after(state.weight(bias()).data()));
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    LayerPass half = half(pass);
    DenseMatrix t = pass.output();
    ColumnSums.of(t, state.gradient(bias()).data(), kernels.workers());
    new LayerInput.Dense(half.output()).transposedTimes(t, state.gradient(weight()), kernels);
    kernels.timesTransposed(t, state.weight(weight()), half.output(), Activation.RELU);
    first.backward(half, state, kernels);
  }

  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    first.inputGradient(half(pass), h, before, state, kernels);
  }
}
