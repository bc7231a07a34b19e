package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.Attention;
import dev.gossamer.matrix.attention.EdgeDropout;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Graph attention with `K` heads of `D` columns, in two variants (see [Variant]): with `z`
/// computed from `H W`, for each head
///
/// ```
/// alpha[uv] = softmax over the edges into v of leaky(<a_src, z[u]> + <a_dst, z[v]>)
/// s[v]      = sum over the edges into v of drop(alpha[uv]) z[u]
/// ```
///
/// and then `H' = sigma(s)`, with the heads side by side or, in a last layer, their mean. Sources
/// and targets share one weight, as in both publications: MB's equation 2 names `W_u` and `W_v`,
/// which are the same for a graph with one kind of vertices. `leaky` has the slope 0.2 below 0. See
/// [Attention] for the kernels. If edges have features, each adds to the sum within `leaky` what
/// [EdgeScores] computes.
///
/// The backward pass computes the gradient of `z` through sums and scores, sums it over ranks, and
/// overwrites the kept `z` or the shared memory with `dY`, the gradient of `H W + b`; then `dW =
/// H^T dY` and `dL/dH = dY W^T`.
///
/// @param name prefix of its parameters: `layers.0`
/// @param in width of `H`
/// @param heads number of heads, `K`
/// @param width `D`, columns of a head
/// @param variant position of bias and nonlinearity: [Variant#MB] or [Variant#STANDARD]
/// @param last whether it is the output layer: takes the mean of the heads, without ReLU before
///   attention, because logits may be negative
/// @param edgeFeatures features of an edge, `d`; 0 if edges have none
public record GraphAttention(
    String name, int in, int heads, int width, Variant variant, boolean last, int edgeFeatures)
    implements GraphLayer {
  /// The variants of graph attention.
  public enum Variant {
    /// `z = ReLU(H W + b)`, before attention (MB, equation 2). After a hidden layer's sums, which
    /// are not negative, the network's ReLU has no effect.
    MB,
    /// `z = H W`, and the bias is added to the sums; a hidden layer is followed by an ELU (P.
    /// Velickovic et al., 2018, section 3.3).
    STANDARD,
    /// As [#STANDARD], with the nonlinear function of scores within their product: dynamic
    /// attention, the layer [DynamicGraphAttention].
    V2
  }

  /// Checks the variant.
  ///
  /// @throws IllegalArgumentException if it is [Variant#V2]
  public GraphAttention {
    if (variant == Variant.V2) {
      throw new IllegalArgumentException(name + ": v2 is another layer");
    }
  }

  /// `W` (`in x K D`), the `a_src` and then the `a_dst` of each head (`2 K x D`), and a bias: of
  /// `z` in [Variant#MB], of the output in [Variant#STANDARD]; and those of [EdgeScores].
  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    layout.add(name + ".weight", in, wide(), decays);
    layout.add(name + ".attention", 2 * heads, width, decays);
    layout.add(name + ".bias", 1, variant == Variant.MB ? wide() : out(), false);
    if (edgeFeatures > 0) {
      ofEdges().declare(layout, decays);
    }
  }

  private EdgeScores ofEdges() {
    return new EdgeScores(name, edgeFeatures, heads, width);
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
  public @Nullable String shift() {
    return variant == Variant.MB ? null : name + ".bias";
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
            + Pieces.elements(size.sources(), 2 * heads)
            + Pieces.elements(size.sources(), wide())
            + Pieces.elements(2L * heads, wide())
            + (backward == Backward.INPUT && !masksInput()
                ? Pieces.elements(size.sources(), in)
                : 0);
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    List<LayerProduct> products = new ArrayList<>();
    products.add(new LayerProduct.Dense(LayerProduct.Rows.SOURCES, in, wide(), true, false));
    products.add(new LayerProduct.Attended(heads, wide()));
    if (backward != Backward.NONE) {
      products.add(
          new LayerProduct.Dense(LayerProduct.Rows.SOURCES, 2 * heads, wide(), false, true));
      products.add(new LayerProduct.Dense(LayerProduct.Rows.SOURCES, in, wide(), true, true));
    }
    if (backward == Backward.INPUT) {
      products.add(new LayerProduct.Dense(LayerProduct.Rows.SOURCES, wide(), in, false, false));
    }
    return products;
  }

  /// Whether the gradient of the input is the masked product `dY W^T`, which is made in place: that
  /// of an ELU takes both the product and what is there.
  private boolean masksInput() {
    return variant == Variant.MB;
  }

  @Override
  public long keptElements(PassSize size) {
    return Pieces.elements(size.sources(), wide())
        + Pieces.elements(size.sources(), 2 * heads)
        + (edgeFeatures > 0 ? 2 : 1) * Pieces.elements(size.edges(), heads);
  }

  /// What the backward pass needs of the forward pass.
  ///
  /// @param z `sources x K D`
  /// @param e `sources x 2 K`, the scores of sources and targets
  /// @param alpha `edges x K`, see [Attention]
  /// @param edges with their own scores, if they have features
  /// @param scores `edges x K`, those scores; null if edges have no features
  private record Kept(
      DenseMatrix z,
      DenseMatrix e,
      DenseMatrix alpha,
      EdgePattern edges,
      @Nullable DenseMatrix scores) {}

  private Kept kept(LayerPass pass) {
    Neighbourhood seen = pass.neighbourhood();
    EdgePattern edges = seen.edges();
    Pieces pieces = new Pieces(pass.kept());
    DenseMatrix z = pieces.next(edges.sources(), wide());
    DenseMatrix e = pieces.next(edges.sources(), 2 * heads);
    DenseMatrix alpha = pieces.next(edges.count(), heads);
    if (edgeFeatures == 0) {
      return new Kept(z, e, alpha, edges, null);
    }
    DenseMatrix scores = pieces.next(edges.count(), heads);
    return new Kept(z, e, alpha, edges.withScores(scores), scores);
  }

  /// What the backward pass needs besides.
  ///
  /// @param t `targets x K D`, the gradient of the sums
  /// @param g `edges x 2 K`, that of an edge's score, and what weighs its source's
  /// @param e `sources x 2 K`, that of the scores
  /// @param z `sources x K D`, that of `z`
  /// @param vectors `2 K x K D`, that of the attention vectors if each saw all heads
  /// @param rest what is left of the memory
  private record Gradients(
      DenseMatrix t,
      DenseMatrix g,
      DenseMatrix e,
      DenseMatrix z,
      DenseMatrix vectors,
      Pieces rest) {}

  private Gradients gradients(LayerPass pass) {
    Neighbourhood seen = pass.neighbourhood();
    Pieces pieces = new Pieces(pass.shared());
    return new Gradients(
        last ? pieces.next(seen.edges().targets(), wide()) : pass.output(),
        pieces.next(seen.edges().count(), 2 * heads),
        pieces.next(seen.edges().sources(), 2 * heads),
        pieces.next(seen.edges().sources(), wide()),
        pieces.next(2L * heads, wide()),
        pieces);
  }

  private boolean hasRelu() {
    return variant == Variant.MB && !last;
  }

  private Attention attention() {
    return new Attention(heads, width);
  }

  private MemorySegment vectors(DenseState state) {
    return state.weight(name + ".attention").data();
  }

  private static float scale(LayerPass pass) {
    EdgeDropout dropout = pass.attentionDropout();
    return dropout == null ? 1f : dropout.scale();
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    Neighbourhood seen = pass.neighbourhood();
    Kept kept = kept(pass);
    transform(pass, kept, state, kernels);
    long computed = pass.sourceRows();
    long sources = seen.edges().sources();
    seen.gather(kept.z());
    kernels
        .clock()
        .measure(
            Phase.ATTENTION,
            () -> {
              DenseMatrix others = kept.e().rows(computed, sources);
              Epilogues.apply(
                  attention().scores(vectors(state), others),
                  kept.z().rows(computed, sources),
                  kernels.workers());
              attend(pass, kept, state, kernels);
            });
  }

  /// `z` of the rows that are computed here, and their scores.
  private void transform(LayerPass pass, Kept kept, DenseState state, Kernels kernels) {
    long computed = pass.sourceRows();
    MemorySegment bias = state.weight(name + ".bias").data();
    List<RowEpilogue> steps = new ArrayList<>();
    if (variant == Variant.MB) {
      steps.add(hasRelu() ? Epilogues.biasRelu(bias) : Epilogues.bias(bias));
    }
    steps.add(attention().scores(vectors(state), kept.e().rows(0, computed)));
    pass.sources()
        .times(
            state.weight(name + ".weight"),
            kept.z().rows(0, computed),
            kernels,
            Epilogues.inTurn(steps.toArray(RowEpilogue[]::new)));
  }

  private void attend(LayerPass pass, Kept kept, DenseState state, Kernels kernels) {
    Neighbourhood seen = pass.neighbourhood();
    if (kept.scores() != null) {
      ofEdges().forward(pass.edgeFeatures(name, edgeFeatures), kept.scores(), state, kernels);
    }
    RowEpilogue sigma =
        variant == Variant.MB
            ? pass.activation().rows()
            : pass.activation().after(state.weight(name + ".bias").data());
    DenseMatrix sums =
        last ? new Pieces(pass.shared()).next(seen.edges().targets(), wide()) : pass.output();
    attention()
        .forward(
            kept.edges(),
            kept.z(),
            kept.e(),
            kept.alpha(),
            sums,
            pass.attentionDropout(),
            seen.sources(),
            kernels.workers(),
            last ? attention().meanThen(sigma, pass.output()) : sigma);
  }

  /// If a hidden sum is 0 because all its terms are, its gradient has been set to 0: with
  /// [Variant#MB], all its `z` are 0 or dropped too, so this is exact.
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
    DenseMatrix dy = dy(pass, kept, gradients);
    if (hasRelu()) {
      Epilogues.apply(
          Epilogues.gated(gradients.z().rows(0, pass.sourceRows()), 1f), dy, kernels.workers());
    }
    DenseMatrix biased = variant == Variant.MB ? dy : pass.output();
    ColumnSums.of(biased, state.gradient(name + ".bias").data(), kernels.workers());
    pass.sources().transposedTimes(dy, state.gradient(name + ".weight"), kernels);
  }

  /// Where the gradient of `H W + b` is: over `z`, which is read no more, if it has a ReLU.
  private DenseMatrix dy(LayerPass pass, Kept kept, Gradients gradients) {
    return (hasRelu() ? kept.z() : gradients.z()).rows(0, pass.sourceRows());
  }

  private void attentionBackward(
      LayerPass pass, Kept kept, Gradients gradients, DenseState state, Kernels kernels) {
    Neighbourhood seen = pass.neighbourhood();
    if (last) {
      attention().spread(pass.output(), gradients.t(), kernels.workers());
    }
    attention()
        .targetGradients(
            kept.edges(),
            kept.z(),
            kept.e(),
            kept.alpha(),
            gradients.t(),
            scale(pass),
            gradients.g(),
            gradients.e(),
            kernels.workers());
    if (edgeFeatures > 0) {
      ofEdges().backward(pass.edgeFeatures(name, edgeFeatures), gradients.g(), state, kernels);
    }
    attention()
        .sourceGradients(
            seen.transposed(),
            gradients.t(),
            gradients.g(),
            vectors(state),
            gradients.e(),
            gradients.z(),
            kernels.workers());
    kernels
        .matmul()
        .transposedMultiply(gradients.e(), kept.z(), gradients.vectors(), kernels.workers());
    attention().ownHeads(gradients.vectors(), state.gradient(name + ".attention"));
  }

  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    Gradients gradients = gradients(pass);
    DenseMatrix dy = dy(pass, kept(pass), gradients);
    kernels.inputGradient(dy, state.weight(name + ".weight"), h, before, gradients.rest());
  }
}
