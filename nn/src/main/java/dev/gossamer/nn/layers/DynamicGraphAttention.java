package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.Attention;
import dev.gossamer.matrix.attention.DynamicAttention;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.attention.EdgeTerms;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Dynamic graph attention with `K` heads of `D` columns (S. Brody, U. Alon and E. Yahav, 2022,
/// GATv2; see [DynamicAttention] for the kernels): with `z = H W`, for each head
///
/// ```
/// alpha[uv] = softmax over the edges into v of <a, leaky(z[u] + z[v])>
/// s[v]      = sum over the edges into v of drop(alpha[uv]) z[u]
/// ```
///
/// and then `H' = sigma(s + b)`, with the heads side by side or, in a last layer, their mean. If
/// edges have features `x` (`d` numbers), scores are `<a, leaky(z[u] + z[v] + W_e x[uv])>`, with
/// `W_e` of `d x K D`, as in the paper's implementation; an edge that was added from a vertex to
/// itself has zeros. Sources and targets share one weight, as their implementation can be told to
/// do, and as in [GraphAttention]; there is no bias before the scores.
///
/// The backward pass computes the gradient of `z` through sums and scores, and sums it over ranks:
/// `dY`; then `dW = H^T dY` and `dL/dH = dY W^T`.
///
/// @param name prefix of its parameters: `layers.0`
/// @param in width of `H`
/// @param heads number of heads, `K`
/// @param width `D`, columns of a head
/// @param last whether it is the output layer, which takes the mean of the heads
/// @param edgeFeatures features of an edge, `d`; 0 if edges have none
public record DynamicGraphAttention(
    String name, int in, int heads, int width, boolean last, int edgeFeatures)
    implements GraphLayer {
  /// `W` (`in x K D`), the `a` of each head (`K x D`), a bias of the output, and `W_e`.
  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    layout.add(name + ".weight", in, wide(), decays);
    layout.add(name + ".attention", heads, width, decays);
    layout.add(name + ".bias", 1, out(), false);
    if (edgeFeatures > 0) {
      layout.add(edgeWeight(), edgeFeatures, wide(), decays);
    }
  }

  private String edgeWeight() {
    return name + ".edge.weight";
  }

  @Override
  public int out() {
    return last ? width : wide();
  }

  /// Always transforms first: scores are computed from the result.
  @Override
  public Order order() {
    return Order.TRANSFORM_FIRST;
  }

  @Override
  public String shift() {
    return name + ".bias";
  }

  /// `K D`.
  private int wide() {
    return heads * width;
  }

  @Override
  public int aggregatedWidth() {
    return wide();
  }

  @Override
  public long sharedElements(PassSize size, Backward backward) {
    long sums = last ? Pieces.elements(size.targets(), wide()) : 0;
    return backward == Backward.NONE
        ? sums
        : sums
            + Pieces.elements(size.edges(), 2 * heads)
            + Pieces.elements(size.sources(), wide())
            + Pieces.elements(size.targets(), wide())
            + (backward == Backward.INPUT ? Pieces.elements(size.sources(), in) : 0);
  }

  @Override
  public long keptElements(PassSize size) {
    return Pieces.elements(size.sources(), wide()) + Pieces.elements(size.edges(), heads);
  }

  /// Counted like those of [GraphAttention], although scores and their gradients take two more
  /// passes over the edges; features of edges are multiplied again in each of these passes.
  @Override
  public List<LayerProduct> products(Backward backward) {
    List<LayerProduct> products = new ArrayList<>();
    products.add(new LayerProduct.Dense(LayerProduct.Rows.SOURCES, in, wide(), true, false));
    products.add(new LayerProduct.Attended(heads, wide()));
    if (edgeFeatures > 0) {
      int passes = backward == Backward.NONE ? 1 : 4;
      products.addAll(LayerProduct.ofTerms(edgeFeatures, wide(), passes));
    }
    if (backward != Backward.NONE) {
      products.add(new LayerProduct.Dense(LayerProduct.Rows.SOURCES, in, wide(), true, true));
    }
    if (backward == Backward.INPUT) {
      products.add(new LayerProduct.Dense(LayerProduct.Rows.SOURCES, wide(), in, false, false));
    }
    return products;
  }

  /// What the backward pass needs of the forward pass.
  ///
  /// @param z `sources x K D`
  /// @param alpha `edges x K`
  private record Kept(DenseMatrix z, DenseMatrix alpha) {}

  private Kept kept(LayerPass pass) {
    Neighbourhood seen = pass.neighbourhood();
    Pieces pieces = new Pieces(pass.kept());
    return new Kept(
        pieces.next(seen.edges().sources(), wide()), pieces.next(seen.edges().count(), heads));
  }

  /// What the backward pass needs besides.
  ///
  /// @param t `targets x K D`, the gradient of the sums
  /// @param g `edges x 2 K`, what weighs an edge's source, and the gradient of its score
  /// @param z `sources x K D`, that of `z`
  /// @param vectors `targets x K D`, whose sum is that of the attention vectors
  /// @param rest what is left of the memory
  private record Gradients(
      DenseMatrix t, DenseMatrix g, DenseMatrix z, DenseMatrix vectors, Pieces rest) {}

  private Gradients gradients(LayerPass pass) {
    Neighbourhood seen = pass.neighbourhood();
    Pieces pieces = new Pieces(pass.shared());
    return new Gradients(
        last ? pieces.next(seen.edges().targets(), wide()) : pass.output(),
        pieces.next(seen.edges().count(), 2 * heads),
        pieces.next(seen.edges().sources(), wide()),
        pieces.next(seen.edges().targets(), wide()),
        pieces);
  }

  /// The edges, with what their features add to scores.
  private EdgePattern edges(LayerPass pass, DenseState state) {
    EdgePattern edges = pass.neighbourhood().edges();
    return edgeFeatures == 0
        ? edges
        : edges.withTerms(
            new EdgeTerms(pass.edgeFeatures(name, edgeFeatures), state.weight(edgeWeight())));
  }

  private MemorySegment vectors(DenseState state) {
    return state.weight(name + ".attention").data();
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    Neighbourhood seen = pass.neighbourhood();
    Kept kept = kept(pass);
    DenseMatrix computed = kept.z().rows(0, pass.sourceRows());
    pass.sources().times(state.weight(name + ".weight"), computed, kernels, RowEpilogue.NONE);
    seen.gather(kept.z());
    RowEpilogue sigma = pass.activation().after(state.weight(name + ".bias").data());
    DenseMatrix sums =
        last ? new Pieces(pass.shared()).next(seen.edges().targets(), wide()) : pass.output();
    kernels
        .clock()
        .measure(
            Phase.ATTENTION,
            () ->
                new DynamicAttention(heads, width)
                    .forward(
                        edges(pass, state),
                        kept.z(),
                        vectors(state),
                        kept.alpha(),
                        sums,
                        pass.attentionDropout(),
                        seen.sources(),
                        kernels.workers(),
                        last ? mean().meanThen(sigma, pass.output()) : sigma));
  }

  /// Computes the mean of heads.
  private Attention mean() {
    return new Attention(heads, width);
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    Kept kept = kept(pass);
    Gradients gradients = gradients(pass);
    kernels
        .clock()
        .measure(
            Phase.ATTENTION,
            "attention backward",
            () -> attentionBackward(pass, kept, gradients, state, kernels));
    pass.neighbourhood().scatterAdd(gradients.z());
    DenseMatrix dy = gradients.z().rows(0, pass.sourceRows());
    ColumnSums.of(pass.output(), state.gradient(name + ".bias").data(), kernels.workers());
    pass.sources().transposedTimes(dy, state.gradient(name + ".weight"), kernels);
  }

  private void attentionBackward(
      LayerPass pass, Kept kept, Gradients gradients, DenseState state, Kernels kernels) {
    Neighbourhood seen = pass.neighbourhood();
    if (last) {
      mean().spread(pass.output(), gradients.t(), kernels.workers());
    }
    EdgeDropout dropout = pass.attentionDropout();
    DynamicAttention attention = new DynamicAttention(heads, width);
    EdgePattern edges = edges(pass, state);
    attention.targetGradients(
        edges,
        kept.z(),
        vectors(state),
        kept.alpha(),
        gradients.t(),
        dropout == null ? 1f : dropout.scale(),
        gradients.g(),
        gradients.z(),
        gradients.vectors(),
        kernels.workers());
    attention.sourceGradients(
        edges,
        seen.transposed(),
        kept.z(),
        vectors(state),
        gradients.t(),
        gradients.g(),
        gradients.z(),
        kernels.workers());
    if (edgeFeatures > 0) {
      DenseMatrix gradient = state.gradient(edgeWeight());
      attention.termGradient(
          edges, kept.z(), vectors(state), gradients.g(), gradient, kernels.workers());
    }
    ColumnSums.of(
        gradients.vectors(), state.gradient(name + ".attention").data(), kernels.workers());
  }

  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    Gradients gradients = gradients(pass);
    DenseMatrix dy = gradients.z().rows(0, pass.sourceRows());
    kernels.inputGradient(dy, state.weight(name + ".weight"), h, before, gradients.rest());
  }
}
