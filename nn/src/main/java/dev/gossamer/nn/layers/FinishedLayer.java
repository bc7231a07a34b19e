package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.ParametricRelu;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A hidden layer with normalisation, an activation of any kind, a second dense layer, and a
/// residual connection: `H' = U + R` with `U = drop(sigma(norm(Z)))`, or `H' = U W + b + R`, where
/// `Z` is the result of a layer with its bias, and `R` are the targets' own rows of `H` (K. He et
/// al., 2016), or 0. With the dense layer, the layer and what follows it are the feed-forward block
/// of Transformers, whose first product is the layer's own (O. Platonov et al., ICLR 2023).
///
/// A plain layer fuses its activation into its last kernel, and the derivative follows from `H'`.
/// Here it follows from `Z`, which is kept: the next layer leaves `dL/dH'` in the output, and
/// [#backward] overwrites the kept `Z` with `dL/dZ`, from which the layer itself continues. If the
/// dense layer follows, `U` is kept, too, and overwritten by its gradient.
///
/// @param layer computes `Z`
/// @param norm normalisation of `Z`
/// @param residual whether the targets' own rows, which must have the width of `Z`, are added
/// @param sloped whether the activation is [Activation.Function#PRELU], whose slope is a parameter
/// @param feedForward whether a dense layer, as wide as `Z`, follows the activation
public record FinishedLayer(
    GraphLayer layer, Norm norm, boolean residual, boolean sloped, boolean feedForward)
    implements AroundLayer {
  /// Checks the widths.
  ///
  /// @throws IllegalArgumentException if there is a residual connection between different widths
  public FinishedLayer {
    if (residual && layer.in() != layer.out()) {
      throw new IllegalArgumentException(
          "%s: a residual connection needs one width, found %d and %d"
              .formatted(layer.name(), layer.in(), layer.out()));
    }
  }

  @Override
  public boolean readsOwnRows() {
    return residual || layer.readsOwnRows();
  }

  /// Declares the parameters of the layer, those of the normalisation, the slope, which does not
  /// decay, and a weight (`out x out`) and a bias of the dense layer.
  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    layer.declare(layout, decays);
    Normaliser normaliser = normaliser();
    if (normaliser != null) {
      normaliser.declare(layout);
    }
    if (sloped) {
      layout.add(slope(), 1, 1, false);
    }
    if (feedForward) {
      layout.add(weight(), out(), out(), decays);
      layout.add(bias(), 1, out(), false);
    }
  }

  private String weight() {
    return name() + ".feed_forward.weight";
  }

  private String bias() {
    return name() + ".feed_forward.bias";
  }

  private String slope() {
    return name() + Glorot.SLOPE;
  }

  private @Nullable Normaliser normaliser() {
    return norm.normaliser(name() + ".norm", out());
  }

  @Override
  public long sharedElements(PassSize size, Backward backward) {
    long rows = Pieces.elements(size.targets(), out());
    long own = (sloped ? rows : 0) + (norm == Norm.NONE ? 0 : rows + Pieces.elements(2, out()));
    return Math.max(backward == Backward.NONE ? 0 : own, layer.sharedElements(size, backward));
  }

  @Override
  public long keptElements(PassSize size) {
    long matrices = feedForward ? 2 : 1;
    return matrices * Pieces.elements(size.targets(), out())
        + moments(size.targets())
        + layer.keptElements(size);
  }

  /// Elements that the normalisation keeps.
  private long moments(long rows) {
    Normaliser normaliser = normaliser();
    return normaliser == null ? 0 : normaliser.keptElements(rows);
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    Normaliser normaliser = normaliser();
    int normalised = normaliser == null ? 0 : normaliser.matrices();
    int added = residual ? 1 : 0;
    List<LayerProduct> products = new ArrayList<>(layer.products(backward));
    products.add(new LayerProduct.Elementwise(out(), 2 + normalised + added));
    if (feedForward) {
      products.add(dense(false));
    }
    if (feedForward && backward != Backward.NONE) {
      products.add(dense(true));
      products.add(dense(false));
    }
    if (backward != Backward.NONE) {
      int slopes = sloped ? 4 : 0;
      products.add(new LayerProduct.Elementwise(out(), 3 + 3 * normalised + 3 * added + slopes));
    }
    if (backward != Backward.NONE && normaliser != null) {
      normaliser.summed().forEach(numbers -> products.add(new LayerProduct.Summed(numbers)));
    }
    return products;
  }

  private LayerProduct dense(boolean gradient) {
    return new LayerProduct.Dense(LayerProduct.Rows.TARGETS, out(), out(), false, gradient);
  }

  /// Returns [Activation#NONE]: the derivative is this layer's own work.
  @Override
  public Activation leftToNext(Activation activation) {
    return Activation.NONE;
  }

  /// What the backward pass needs of the forward pass.
  ///
  /// @param z `targets x out`
  /// @param u `targets x out`, then its gradient: the output itself, unless the dense layer follows
  /// @param moments what the normalisation keeps
  /// @param rest what the layer keeps
  private record Kept(DenseMatrix z, DenseMatrix u, DenseMatrix moments, DenseMatrix rest) {}

  private Kept kept(LayerPass pass) {
    Pieces pieces = new Pieces(pass.kept());
    return new Kept(
        pieces.next(pass.targetRows(), out()),
        feedForward ? pieces.next(pass.targetRows(), out()) : pass.output(),
        pieces.next(moments(pass.targetRows()), 1),
        pieces.rest());
  }

  /// The pass of the layer itself.
  private static LayerPass inner(LayerPass pass, Kept kept) {
    return pass.within(Activation.NONE, kept.rest(), kept.z());
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    Kept kept = kept(pass);
    layer.forward(inner(pass, kept), state, kernels);
    finish(pass, kept, state, kernels);
  }

  @Override
  public @Nullable LayerHalves halves() {
    return halves(this::aggregate);
  }

  /// Computes and finishes the second half.
  ///
  /// @throws IllegalStateException if there is a residual connection, for which the input is read
  private void aggregate(
      LayerHalves halves,
      LayerPass pass,
      DenseMatrix hw,
      DenseMatrix o,
      DenseState state,
      Kernels kernels) {
    if (residual) {
      throw new IllegalStateException(name() + ": a residual connection reads the input");
    }
    Kept kept = kept(pass);
    halves.aggregate(inner(pass, kept), hw, o, state, kernels);
    finish(pass, kept, state, kernels);
  }

  private void finish(LayerPass pass, Kept kept, DenseState state, Kernels kernels) {
    Normaliser normaliser = normaliser();
    List<RowEpilogue> steps = new ArrayList<>();
    if (normaliser == null) {
      steps.add(Epilogues.copy(kept.z()));
    }
    steps.add(activated(pass, state));
    if (residual && !feedForward) {
      steps.add(Epilogues.add(pass.ownRows()));
    }
    RowEpilogue all = Epilogues.inTurn(steps.toArray(RowEpilogue[]::new));
    if (normaliser != null) {
      normaliser.forward(kept.z(), kept.u(), kept.moments(), pass, state, kernels);
    }
    Epilogues.apply(all, kept.u(), kernels.workers());
    if (feedForward) {
      feed(pass, kept.u(), state, kernels);
    }
  }

  /// Computes `U W + b + R`.
  private void feed(LayerPass pass, DenseMatrix u, DenseState state, Kernels kernels) {
    RowEpilogue biased = Epilogues.bias(state.weight(bias()).data());
    RowEpilogue last = residual ? Epilogues.inTurn(biased, Epilogues.add(pass.ownRows())) : biased;
    new LayerInput.Dense(u).times(state.weight(weight()), pass.output(), kernels, last);
  }

  private RowEpilogue activated(LayerPass pass, DenseState state) {
    return sloped
        ? Epilogues.inTurn(
            ParametricRelu.rows(state.weight(slope()).get(0, 0)), pass.activation().dropping())
        : pass.activation().rows();
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    Kept kept = kept(pass);
    if (feedForward) {
      gradientOfU(pass, kept.u(), state, kernels);
    }
    gradientOfZ(pass, kept, state, kernels);
    layer.backward(inner(pass, kept), state, kernels);
    Normaliser normaliser = normaliser();
    String shift = layer.shift();
    if (normaliser != null && normaliser.ignoresShifts() && shift != null) {
      // It is 0 but for rounding, of which optimizers that divide by a gradient's size make steps.
      state.gradient(shift).fill(0);
    }
  }

  /// Overwrites `U` with its gradient, if the dense layer follows it; those of that layer go into
  /// `state`.
  private void gradientOfU(LayerPass pass, DenseMatrix u, DenseState state, Kernels kernels) {
    DenseMatrix t = pass.output();
    ColumnSums.of(t, state.gradient(bias()).data(), kernels.workers());
    new LayerInput.Dense(u).transposedTimes(t, state.gradient(weight()), kernels);
    kernels.timesTransposed(t, state.weight(weight()), u);
  }

  /// Overwrites `Z` with its gradient; those of gain, bias and slope go into `state`.
  private void gradientOfZ(LayerPass pass, Kept kept, DenseState state, Kernels kernels) {
    Pieces pieces = new Pieces(pass.shared());
    Normaliser normaliser = normaliser();
    if (normaliser == null) {
      derive(pass, kept.u(), kept.z(), pieces, state, kernels);
      return;
    }
    DenseMatrix t = pieces.next(pass.targetRows(), out());
    DenseMatrix sums = pieces.next(2, out());
    normaliser.again(kept.z(), t, kept.moments(), state, kernels);
    derive(pass, kept.u(), t, pieces, state, kernels);
    normaliser.backward(kept.z(), t, kept.moments(), sums, pass, state, kernels);
  }

  /// Overwrites the argument of the activation with its gradient.
  ///
  /// @param gradient of its result
  private void derive(
      LayerPass pass,
      DenseMatrix gradient,
      DenseMatrix argument,
      Pieces pieces,
      DenseState state,
      Kernels kernels) {
    if (!sloped) {
      RowEpilogue derivative = pass.activation().derivative(gradient);
      Epilogues.apply(derivative, argument, kernels.workers());
      return;
    }
    // The gradient behind the dropout: the output itself may be that of a residual connection.
    DenseMatrix t = pieces.next(pass.targetRows(), out());
    RowEpilogue dropped = Epilogues.inTurn(Epilogues.copy(gradient), pass.activation().dropping());
    Epilogues.apply(dropped, t, kernels.workers());
    double sum = ParametricRelu.slopeGradient(argument, t, kernels.workers());
    state.gradient(slope()).set(0, 0, (float) sum);
    float slope = state.weight(slope()).get(0, 0);
    Epilogues.apply(ParametricRelu.gated(t, slope), argument, kernels.workers());
  }

  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    layer.inputGradient(inner(pass, kept(pass)), h, before, state, kernels);
    if (residual) {
      // The layer before is finished, too: what is in h is dL/dH.
      Epilogues.apply(
          Epilogues.add(pass.output()), h.rows(0, pass.targetRows()), kernels.workers());
    }
  }
}
