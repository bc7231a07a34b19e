package dev.gossamer.nn.layers;

import static dev.gossamer.nn.layers.LayerProduct.Rows.SOURCES;
import static dev.gossamer.nn.layers.LayerProduct.Rows.TARGETS;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.attention.RelationMeans;
import dev.gossamer.matrix.attention.RelationSums;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Sums over the relations of edges: for a vertex `v`, with the mean over its neighbours by each of
/// `R` relations,
///
/// ```
/// z[v] = h[v] W_0 + sum over r of 1/|N_r(v)| sum over u in N_r(v) of h[u] W_r + bias
/// ```
///
/// and `H' = sigma(Z)`. The weights of the relations are sums of `B` bases, `W_r = sum over b of
/// a[r][b] V_b` (relational graph convolutions, M. Schlichtkrull et al., 2018, equations 2 and 3,
/// which have no bias), or each is a parameter of its own (GraphSAGE's mean for each relation,
/// added up). `H [V_1 .. V_B]`, or `H [W_1 .. W_R]`, is computed first, and its rows are sent once,
/// whatever the number of relations; see [RelationSums] and [RelationMeans] for the sums over
/// edges, whose values in the [Neighbourhood] are numbers of sets of relations. In a sampled block,
/// means are those over the sample.
///
/// The backward pass computes the gradients of `a`, and of the rows `H V`, which it sums over
/// ranks: `S`; then `dV = H^T S`, `dW_0 = H_v^T T` and `dL/dH = S V^T`, plus `T W_0^T` in the rows
/// of the targets.
///
/// @param name prefix of its parameters: `layers.0`
/// @param in width of `H`
/// @param out width of `Z`
/// @param relations `R`
/// @param bases `B`; 0 if each relation has a weight of its own
/// @param sets the relations of an edge, a bit for each, by the value of its entry; of a layer that
///   only declares its parameters empty
public record RelationalConvolution(
    String name, int in, int out, int relations, int bases, List<Long> sets) implements GraphLayer {
  /// Checks the numbers.
  ///
  /// @throws IllegalArgumentException if there is no relation or a negative number of bases
  public RelationalConvolution {
    sets = List.copyOf(sets);
    if (relations < 1 || bases < 0) {
      throw new IllegalArgumentException(
          "%s: expected a relation and at least 0 bases, found %d and %d"
              .formatted(name, relations, bases));
    }
  }

  /// {@return a layer with a weight for each relation}
  ///
  /// @param name prefix of its parameters: `layers.0`
  /// @param in width of `H`
  /// @param out width of `Z`
  /// @param relations `R`
  /// @param sets the relations of an edge, a bit for each, by the value of its entry
  public static RelationalConvolution separate(
      String name, int in, int out, int relations, List<Long> sets) {
    return new RelationalConvolution(name, in, out, relations, 0, sets);
  }

  /// {@return whether each relation has a weight of its own}
  public boolean isSeparate() {
    return bases == 0;
  }

  /// {@return parts of a row of `H V`: bases or relations}
  public int parts() {
    return isSeparate() ? relations : bases;
  }

  /// Declares `W_0` (`in x out`), the bases (`in x B out`) or the weights of the relations (`in x R
  /// out`) side by side, of bases the coefficients (`R x B`), and a bias.
  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    layout.add(self(), in, out, decays);
    layout.add(weights(), in, wide(), decays);
    if (!isSeparate()) {
      layout.add(coefficients(), relations, bases, decays);
    }
    layout.add(name + ".bias", 1, out, false);
  }

  private String self() {
    return name + ".self_weight";
  }

  private String weights() {
    return name + (isSeparate() ? ".relation_weight" : ".basis_weight");
  }

  private String coefficients() {
    return name + ".coefficients";
  }

  /// Always transforms first: a row of `H V` is read once, whatever the number of relations.
  @Override
  public Order order() {
    return Order.TRANSFORM_FIRST;
  }

  @Override
  public String shift() {
    return name + ".bias";
  }

  @Override
  public boolean readsOwnRows() {
    return true;
  }

  /// `B out` or `R out`.
  private int wide() {
    return parts() * out;
  }

  @Override
  public int aggregatedWidth() {
    return wide();
  }

  @Override
  public long sharedElements(PassSize size, Backward backward) {
    return switch (backward) {
      case NONE -> 0;
      case PARAMETERS -> Pieces.elements(size.sources(), wide());
      case INPUT ->
          Pieces.elements(size.sources(), wide())
              + Pieces.elements(size.sources(), in)
              + Pieces.elements(size.targets(), in);
    };
  }

  @Override
  public long keptElements(PassSize size) {
    return Pieces.elements(size.sources(), wide())
        + (isSeparate()
            ? Pieces.elements(size.targets(), relations)
            : Pieces.elements(size.edges(), bases));
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    List<LayerProduct> products = new ArrayList<>();
    products.add(new LayerProduct.Dense(TARGETS, in, out, true, false));
    products.add(new LayerProduct.Dense(SOURCES, in, wide(), true, false));
    boolean returns = backward != Backward.NONE;
    products.add(new LayerProduct.AlongEdges(wide(), isSeparate() ? out : wide(), returns));
    if (returns) {
      products.add(new LayerProduct.Dense(TARGETS, in, out, true, true));
      products.add(new LayerProduct.Dense(SOURCES, in, wide(), true, true));
    }
    if (backward == Backward.INPUT) {
      products.add(new LayerProduct.Dense(SOURCES, wide(), in, false, false));
      products.add(new LayerProduct.Dense(TARGETS, out, in, false, false));
    }
    return products;
  }

  /// What the backward pass needs of the forward pass.
  ///
  /// @param z `sources x B out`, `H V`
  /// @param weights `edges x B`, or of separate weights shares of the edges, `targets x R`
  private record Kept(DenseMatrix z, DenseMatrix weights) {}

  private Kept kept(LayerPass pass) {
    EdgePattern edges = pass.neighbourhood().edges();
    Pieces pieces = new Pieces(pass.kept());
    return new Kept(
        pieces.next(edges.sources(), wide()),
        isSeparate() ? pieces.next(edges.targets(), relations) : pieces.next(edges.count(), bases));
  }

  private RelationSums sums() {
    return new RelationSums(sets, relations, bases, out);
  }

  private RelationMeans means() {
    return new RelationMeans(sets, relations, out);
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    Neighbourhood seen = pass.neighbourhood();
    Kept kept = kept(pass);
    DenseMatrix computed = kept.z().rows(0, pass.sourceRows());
    pass.sources().times(state.weight(weights()), computed, kernels, RowEpilogue.NONE);
    pass.own().times(state.weight(self()), pass.output(), kernels, RowEpilogue.NONE);
    seen.gather(kept.z());
    RowEpilogue sigma = pass.activation().after(state.weight(name + ".bias").data());
    kernels
        .clock()
        .measure(
            Phase.SPMM, "relations", () -> add(seen, kept, pass.output(), sigma, state, kernels));
  }

  /// Adds the sums over edges to the output.
  private void add(
      Neighbourhood seen,
      Kept kept,
      DenseMatrix y,
      RowEpilogue sigma,
      DenseState state,
      Kernels kernels) {
    if (isSeparate()) {
      means().forward(seen.edges(), kept.z(), kept.weights(), y, kernels.workers(), sigma);
      return;
    }
    MemorySegment a = state.weight(coefficients()).data();
    sums().forward(seen.edges(), kept.z(), a, kept.weights(), y, kernels.workers(), sigma);
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    Neighbourhood seen = pass.neighbourhood();
    Kept kept = kept(pass);
    DenseMatrix t = pass.output();
    DenseMatrix s = new Pieces(pass.shared()).next(seen.edges().sources(), wide());
    ColumnSums.of(t, state.gradient(name + ".bias").data(), kernels.workers());
    pass.own().transposedTimes(t, state.gradient(self()), kernels);
    kernels
        .clock()
        .measure(
            Phase.SPMM, "relations backward", () -> gradients(seen, kept, t, s, state, kernels));
    seen.scatterAdd(s);
    pass.sources()
        .transposedTimes(s.rows(0, pass.sourceRows()), state.gradient(weights()), kernels);
  }

  /// Computes the gradients of coefficients and of the rows `H V`.
  private void gradients(
      Neighbourhood seen,
      Kept kept,
      DenseMatrix t,
      DenseMatrix s,
      DenseState state,
      Kernels kernels) {
    if (isSeparate()) {
      means()
          .sourceGradients(
              seen.edges(), seen.transposed(), t, kept.weights(), s, kernels.workers());
      return;
    }
    MemorySegment gradient = state.gradient(coefficients()).data();
    sums().coefficientGradient(seen.edges(), kept.z(), t, gradient, kernels.workers());
    sums().sourceGradients(seen.transposed(), t, kept.weights(), s, kernels.workers());
  }

  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    Pieces pieces = new Pieces(pass.shared());
    DenseMatrix s = pieces.next(pass.neighbourhood().edges().sources(), wide());
    DenseMatrix sum = pieces.next(pass.sourceRows(), in);
    DenseMatrix own = pieces.next(pass.targetRows(), in);
    kernels.timesTransposed(s.rows(0, pass.sourceRows()), state.weight(weights()), sum);
    kernels.timesTransposed(pass.output(), state.weight(self()), own);
    Epilogues.apply(Epilogues.add(own), sum.rows(0, pass.targetRows()), kernels.workers());
    Epilogues.apply(before.gated(sum), h, kernels.workers());
  }
}
