package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgeMessages;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.attention.EdgeTerms;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/// The layer of a graph isomorphism network on a graph whose edges have features (W. Hu et al.,
/// 2020, GINE): with the features `x` of each edge (`d` numbers),
///
/// ```
/// s[v] = a[vv] h[v] + sum over the edges into v of a[uv] ReLU(h[u] + W_e x[uv])
/// Z    = ReLU(S W + b) W_2 + b_2
/// ```
///
/// where `a` are the entries of `Â`, which is the adjacency matrix with self loops, unscaled,
/// unless the network has another: those of an edge are its weight, or 1, and `a[vv] = 1` is theirs
/// of `1 + epsilon` with `epsilon = 0`, as in [IsomorphismConvolution]. `W_e` (`d x in`) projects
/// the features of an edge to the width of `H`, as PyTorch Geometric's `GINEConv` does with
/// `edge_dim`, without a bias. In a first layer that is the width of the features of vertices,
/// which a [ProjectedLayer] makes that of the hidden layer. See [EdgeMessages] for the kernels.
///
/// The rows of `H` are sent once, and their gradients return once, except in a first layer. `H` of
/// all sources and `S` are kept; the backward pass overwrites `S` with its gradient.
///
/// @param perceptron computes `Z` from `S`: of a layer whose input has been aggregated
/// @param edgeFeatures `d`, features of an edge, at least 1
public record EdgeIsomorphismConvolution(IsomorphismConvolution perceptron, int edgeFeatures)
    implements GraphLayer {
  /// Creates a layer.
  ///
  /// @param name prefix of its parameters: `layers.0`
  /// @param in width of `H`
  /// @param out width of `Z`, and of the perceptron's hidden layer
  /// @param edgeFeatures `d`, features of an edge, at least 1
  public EdgeIsomorphismConvolution(String name, int in, int out, int edgeFeatures) {
    this(new IsomorphismConvolution(name, in, out, Order.TRANSFORM_ONLY), edgeFeatures);
  }

  /// Declares the parameters of [IsomorphismConvolution], and `W_e` (`d x in`).
  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    perceptron.declare(layout, decays);
    layout.add(edgeWeight(), edgeFeatures, in(), decays);
  }

  private String edgeWeight() {
    return name() + ".edge.weight";
  }

  @Override
  public String name() {
    return perceptron.name();
  }

  @Override
  public int in() {
    return perceptron.in();
  }

  @Override
  public int out() {
    return perceptron.out();
  }

  /// Always aggregates first: messages are not linear in the rows that they are computed from.
  @Override
  public Order order() {
    return Order.AGGREGATE_AND_KEEP;
  }

  @Override
  public String shift() {
    return perceptron.shift();
  }

  @Override
  public int aggregatedWidth() {
    return in();
  }

  @Override
  public long sharedElements(PassSize size, Backward backward) {
    return backward == Backward.INPUT ? Pieces.elements(size.sources(), in()) : 0;
  }

  @Override
  public long keptElements(PassSize size) {
    return Pieces.elements(size.sources(), in())
        + Pieces.elements(size.targets(), in())
        + perceptron.keptElements(size);
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    List<LayerProduct> products = new ArrayList<>();
    boolean returns = backward == Backward.INPUT;
    products.add(new LayerProduct.AlongEdges(in(), in(), returns));
    int passes = backward == Backward.NONE ? 1 : returns ? 3 : 2;
    products.addAll(LayerProduct.ofTerms(edgeFeatures, in(), passes));
    Backward within = backward == Backward.NONE ? Backward.NONE : Backward.INPUT;
    for (LayerProduct product : perceptron.products(within)) {
      products.add(
          product instanceof LayerProduct.Dense dense
              ? new LayerProduct.Dense(
                  LayerProduct.Rows.TARGETS, dense.in(), dense.out(), false, dense.gradient())
              : product);
    }
    return products;
  }

  /// What a pass reads and computes.
  ///
  /// @param edges with their terms
  /// @param h `sources x in`
  /// @param s `targets x in`, or its gradient
  /// @param perceptron the pass that reads `S`
  private record Parts(EdgePattern edges, DenseMatrix h, DenseMatrix s, LayerPass perceptron) {}

  private Parts parts(LayerPass pass, DenseState state) {
    EdgePattern edges = pass.neighbourhood().edges();
    Pieces pieces = new Pieces(pass.kept());
    DenseMatrix h = pieces.next(edges.sources(), in());
    DenseMatrix s = pieces.next(edges.targets(), in());
    LayerInput sums = new LayerInput.Dense(s);
    EdgeTerms terms =
        new EdgeTerms(pass.edgeFeatures(name(), edgeFeatures), state.weight(edgeWeight()));
    return new Parts(edges.withTerms(terms), h, s, pass.reading(sums, sums, pieces.rest()));
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    Parts parts = parts(pass, state);
    pass.sources().copyTo(parts.h().rows(0, pass.sourceRows()));
    pass.neighbourhood().gather(parts.h());
    kernels
        .clock()
        .measure(
            Phase.SPMM,
            "messages",
            () -> EdgeMessages.forward(parts.edges(), parts.h(), parts.s(), kernels.workers()));
    perceptron.forward(parts.perceptron(), state, kernels);
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    Parts parts = parts(pass, state);
    perceptron.backward(parts.perceptron(), state, kernels);
    perceptron.inputGradient(parts.perceptron(), parts.s(), Activation.NONE, state, kernels);
    kernels
        .clock()
        .measure(
            Phase.SPMM,
            "messages weight gradient",
            () ->
                EdgeMessages.weightGradient(
                    parts.edges(),
                    parts.h(),
                    parts.s(),
                    state.gradient(edgeWeight()),
                    kernels.workers()));
  }

  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    Parts parts = parts(pass, state);
    Neighbourhood seen = pass.neighbourhood();
    DenseMatrix sum = new Pieces(pass.shared()).next(seen.edges().sources(), in());
    kernels
        .clock()
        .measure(
            Phase.SPMM,
            "messages backward",
            () ->
                EdgeMessages.sourceGradients(
                    parts.edges(),
                    seen.transposed(),
                    parts.h(),
                    parts.s(),
                    sum,
                    kernels.workers()));
    seen.scatterAdd(sum);
    Epilogues.apply(before.gated(sum.rows(0, pass.sourceRows())), h, kernels.workers());
  }
}
