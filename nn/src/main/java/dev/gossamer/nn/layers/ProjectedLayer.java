package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/// A first layer on a projection of the features: it reads `P = drop(sigma(X W_0 + b_0))` in place
/// of `X` (O. Platonov et al., ICLR 2023, whose networks all begin so).
///
/// The projection is a dense layer without the graph, which has an activation of its own, and with
/// [Activation.Function#PRELU] a slope. It is computed for all sources of a pass; in prediction, it
/// is the first half of this layer, so that it is computed once for each vertex.
///
/// `P` (`sources x width`) is kept, and overwritten by its gradient.
///
/// @param projection of `X`, which looks at nothing but its own rows
/// @param layer on `P`, as wide as that
public record ProjectedLayer(GraphLayer projection, GraphLayer layer) implements AroundLayer {
  /// Number of the activation of `P` among the inner ones.
  private static final int OF_PROJECTION = 0;

  /// Checks the widths.
  ///
  /// @throws IllegalArgumentException if they are not one
  public ProjectedLayer {
    if (projection.out() != layer.in() || layer.in() != layer.out()) {
      throw new IllegalArgumentException(
          "%s: a projection and the layer on it need one width, found %d, %d and %d"
              .formatted(layer.name(), projection.out(), layer.in(), layer.out()));
    }
  }

  /// Returns the width of `X`.
  @Override
  public int in() {
    return projection.in();
  }

  private int width() {
    return projection.out();
  }

  /// Returns false: the layer's own rows are those of `P`.
  @Override
  public boolean readsOwnRows() {
    return false;
  }

  @Override
  public Activation leftToNext(Activation activation) {
    return layer.leftToNext(activation);
  }

  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    projection.declare(layout, decays);
    layer.declare(layout, decays);
  }

  /// Each source is a target of the projection.
  private static PassSize ofSources(PassSize size) {
    return new PassSize(size.sources(), size.sources(), 0);
  }

  /// The layer returns a gradient to `P` whenever there is one.
  private static Backward within(Backward backward) {
    return backward == Backward.NONE ? Backward.NONE : Backward.INPUT;
  }

  @Override
  public long sharedElements(PassSize size, Backward backward) {
    return Math.max(
        projection.sharedElements(ofSources(size), backward),
        layer.sharedElements(size, within(backward)));
  }

  @Override
  public long keptElements(PassSize size) {
    return Pieces.elements(size.sources(), width())
        + ofProjection(size.sources())
        + layer.keptElements(size);
  }

  /// Elements that the projection keeps, so that what follows is aligned.
  private long ofProjection(long sources) {
    return Pieces.elements(projection.keptElements(new PassSize(sources, sources, 0)), 1);
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    List<LayerProduct> products = new ArrayList<>(projection.products(backward));
    for (LayerProduct product : layer.products(within(backward))) {
      products.add(
          product instanceof LayerProduct.Dense dense
              ? new LayerProduct.Dense(
                  dense.rows(), dense.in(), dense.out(), false, dense.gradient())
              : product);
    }
    return products;
  }

  /// The two passes.
  ///
  /// @param projection that computes `P`
  /// @param p its output
  /// @param layer that reads `P`
  private record Passes(LayerPass projection, DenseMatrix p, LayerPass layer) {}

  private Passes passes(LayerPass pass) {
    long sources = pass.sourceRows();
    Pieces pieces = new Pieces(pass.kept());
    DenseMatrix p = pieces.next(sources, width());
    DenseMatrix ofProjection = pieces.next(ofProjection(sources), 1);
    LayerPass reading =
        pass.reading(
            new LayerInput.Dense(p.rows(0, pass.targetRows())),
            new LayerInput.Dense(p),
            pieces.rest());
    return new Passes(projecting(pass, ofProjection, p), p, reading);
  }

  private static LayerPass projecting(LayerPass pass, DenseMatrix kept, DenseMatrix p) {
    return pass.within(pass.inner().apply(OF_PROJECTION), kept, p);
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    Passes passes = passes(pass);
    projection.forward(passes.projection(), state, kernels);
    layer.forward(passes.layer(), state, kernels);
  }

  @Override
  public LayerHalves halves() {
    return new Halves(this);
  }

  /// `P`, of which a vertex's own row is set aside, and the layer on it.
  private record Halves(ProjectedLayer whole) implements LayerHalves {
    @Override
    public int out() {
      return whole.out();
    }

    @Override
    public int transformedWidth() {
      return whole.width();
    }

    @Override
    public void transform(
        LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
      whole.projection.forward(projecting(pass, pass.kept(), hw), state, kernels);
      o.copyFrom(hw);
    }

    @Override
    public void aggregate(
        LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
      LayerPass reading =
          pass.reading(new LayerInput.Dense(o), new LayerInput.Dense(hw), pass.kept());
      whole.layer.forward(reading, state, kernels);
    }
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    Passes passes = passes(pass);
    layer.backward(passes.layer(), state, kernels);
    Activation before = projection.leftToNext(passes.projection().activation());
    layer.inputGradient(passes.layer(), passes.p(), before, state, kernels);
    projection.backward(passes.projection(), state, kernels);
  }

  /// @throws IllegalStateException always: it is the first layer
  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    throw new IllegalStateException(name() + ": the projected features have no gradient");
  }
}
