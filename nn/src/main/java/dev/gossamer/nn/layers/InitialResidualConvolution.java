package dev.gossamer.nn.layers;

import static dev.gossamer.nn.layers.LayerProduct.Rows.TARGETS;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A convolution with initial residual and identity mapping (M. Chen et al., ICML 2020, GCNII,
/// section 3): `H' = sigma(M ((1 - beta) I + beta W))` with `M = (1 - alpha) Â H + alpha P`, where
/// `P = ReLU(X W_0 + b_0)` is a projection of the features. The convolutions, which have no bias,
/// keep the width `d` of `P`. Weight decay applies to their weights, and a share of it to those of
/// the projections ([#DENSE_DECAY]).
///
/// The first convolution of a network computes `P` for its sources, of which it aggregates the
/// dropped rows, and leaves the targets' rows without dropout for the later ones
/// ([LayerPass#carried]). The last is followed by the output projection, `Z = H' W_1 + b_1`.
///
/// `M` (`targets x d`) is kept, and overwritten by its gradient: `(1 - beta) T + beta T W^T`, of
/// which `alpha` goes to that of `P`, and `(1 - alpha) Â^T` of it to `H`. The first convolution
/// also keeps `P` with dropout (`sources x d`) and without (`targets x d`).
///
/// @param name prefix of its parameters: `layers.0`
/// @param first computes `P`; null in all convolutions but the first
/// @param in width of the features, or of `H`
/// @param width `d`
/// @param output width of `Z`; null in all convolutions but the last
/// @param teleport `alpha`, the share of `P`
/// @param identity `beta`, the share of `W`
public record InitialResidualConvolution(
    String name,
    @Nullable Projection first,
    int in,
    int width,
    @Nullable Integer output,
    double teleport,
    double identity)
    implements GraphLayer {
  /// Share of the weight decay that applies to the projections: in the paper they have `5e-4`, and
  /// the convolutions `0.01`.
  public static final double DENSE_DECAY = 0.05;

  /// Number of the activation of `P` among the inner ones.
  private static final int OF_PROJECTION = 0;

  /// Number of the activation of `H'` among the inner ones, in the last convolution.
  private static final int OF_LAST = 1;

  /// Creates a convolution that begins with the features.
  ///
  /// @param features width of the features
  /// @return the changed copy
  public InitialResidualConvolution projecting(int features) {
    Projection projection =
        new Projection(name + ".dense", List.of(features, width), DENSE_DECAY, 0);
    return new InitialResidualConvolution(
        name, projection, features, width, output, teleport, identity);
  }

  /// Creates a convolution that ends with the output projection.
  ///
  /// @param outputs width of `Z`
  /// @return the changed copy
  public InitialResidualConvolution ending(int outputs) {
    return new InitialResidualConvolution(name, first, in, width, outputs, teleport, identity);
  }

  /// Creates a convolution between others.
  ///
  /// @param name prefix of its parameters
  /// @param width `d`
  /// @param teleport `alpha`
  /// @param identity `beta`
  public InitialResidualConvolution(String name, int width, double teleport, double identity) {
    this(name, null, width, width, null, teleport, identity);
  }

  private float keptShare() {
    return (float) (1 - teleport);
  }

  private float carriedShare() {
    return (float) teleport;
  }

  private float ofWeight() {
    return (float) identity;
  }

  private float ofIdentity() {
    return (float) (1 - identity);
  }

  private String weight() {
    return name + ".weight";
  }

  private String outputWeight() {
    return name + ".output.weight";
  }

  private String outputBias() {
    return name + ".output.bias";
  }

  @Override
  public int out() {
    return output == null ? width : output;
  }

  @Override
  public Order order() {
    return first == null ? Order.AGGREGATE_AND_KEEP : Order.TRANSFORM_FIRST;
  }

  @Override
  public int carriedWidth() {
    return first == null ? 0 : width;
  }

  @Override
  public int aggregatedWidth() {
    return width;
  }

  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    if (first != null) {
      first.declare(layout);
    }
    layout.add(weight(), width, width, decays);
    if (output != null) {
      layout.add(outputWeight(), width, output, decays ? DENSE_DECAY : 0);
      layout.add(outputBias(), 1, output, false);
    }
  }

  /// Returns those of `Â^T` times the gradient of `M`.
  @Override
  public long sharedElements(PassSize size, Backward backward) {
    return backward == Backward.NONE ? 0 : size.sources() * width;
  }

  @Override
  public long keptElements(PassSize size) {
    long matrices = output == null ? 1 : 2;
    long elements = matrices * Pieces.elements(size.targets(), width);
    return first == null
        ? elements
        : elements
            + Pieces.elements(size.targets(), width)
            + Pieces.elements(size.sources(), width)
            + first.keptElements(size.sources());
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    boolean learns = backward != Backward.NONE;
    List<LayerProduct> products = new ArrayList<>();
    if (first != null) {
      products.addAll(first.products(backward));
      products.add(new LayerProduct.Elementwise(width, learns ? 9 : 2));
    }
    products.add(new LayerProduct.Aggregated(width, false));
    products.add(new LayerProduct.Dense(TARGETS, width, width, false, false));
    products.add(new LayerProduct.Elementwise(width, learns ? 10 : 2));
    if (output != null) {
      products.add(new LayerProduct.Dense(TARGETS, width, output, false, false));
    }
    if (learns && output != null) {
      products.add(new LayerProduct.Dense(TARGETS, width, output, false, true));
      products.add(new LayerProduct.Dense(TARGETS, output, width, false, false));
    }
    if (learns) {
      products.add(new LayerProduct.Dense(TARGETS, width, width, false, true));
      products.add(new LayerProduct.Dense(TARGETS, width, width, false, false));
      products.add(new LayerProduct.Aggregated(width, true));
    }
    return products;
  }

  /// What is kept from the forward to the backward pass.
  ///
  /// @param m `M`, then its gradient
  /// @param last `H'` of the last convolution, then its gradient; of others the same memory as `m`
  /// @param rest of the first convolution
  private record Kept(DenseMatrix m, DenseMatrix last, DenseMatrix rest) {}

  private Kept kept(LayerPass pass) {
    Pieces pieces = new Pieces(pass.kept());
    DenseMatrix m = pieces.next(pass.targetRows(), width);
    return new Kept(m, output == null ? m : pieces.next(pass.targetRows(), width), pieces.rest());
  }

  /// What the first convolution keeps of `P`.
  ///
  /// @param dropped one row for each source
  /// @param whole one row for each target, without dropout
  /// @param rest of the projection
  private record KeptProjection(DenseMatrix dropped, DenseMatrix whole, DenseMatrix rest) {}

  private KeptProjection projected(LayerPass pass, Kept kept) {
    Pieces pieces = new Pieces(kept.rest());
    return new KeptProjection(
        pieces.next(pass.sourceRows(), width),
        pieces.next(pass.targetRows(), width),
        pieces.rest());
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    Kept kept = kept(pass);
    if (first != null) {
      KeptProjection p = projected(pass, kept);
      transform(first, pass, p.rest(), p.dropped(), state, kernels);
      p.whole().copyFrom(pass.carriedRows());
      Epilogues.apply(pass.inner().apply(OF_PROJECTION).dropping(), p.dropped(), kernels.workers());
      convolve(pass, p.dropped(), kept, state, kernels);
    } else {
      convolve(pass, pass.sourceMatrix(), kept, state, kernels);
    }
  }

  @Override
  public @Nullable LayerHalves halves() {
    return first == null ? null : new Halves(this, first);
  }

  /// The first convolution in two halves.
  private record Halves(InitialResidualConvolution whole, Projection first) implements LayerHalves {
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
      InitialResidualConvolution.transform(first, pass, pass.kept(), hw, state, kernels);
    }

    @Override
    public void aggregate(
        LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
      whole.convolve(pass, hw, whole.kept(pass), state, kernels);
    }
  }

  /// Computes `P` without dropout, and leaves the targets' rows.
  private static void transform(
      Projection first,
      LayerPass pass,
      DenseMatrix memory,
      DenseMatrix p,
      DenseState state,
      Kernels kernels) {
    Activation sigma = pass.inner().apply(OF_PROJECTION).undropped();
    first.forward(pass, memory, sigma, p, state, kernels);
    pass.carriedRows().copyFrom(p.rows(0, pass.carriedRows().rows()));
  }

  private void convolve(
      LayerPass pass, DenseMatrix h, Kept kept, DenseState state, Kernels kernels) {
    Activation sigma = output == null ? pass.activation() : pass.inner().apply(OF_LAST);
    pass.aggregation()
        .forward(h, kept.m(), Epilogues.mix(keptShare(), carriedShare(), pass.carriedRows()));
    RowEpilogue identityThenActivation =
        Epilogues.inTurn(Epilogues.mix(ofWeight(), ofIdentity(), kept.m()), sigma.rows());
    new LayerInput.Dense(kept.m())
        .times(
            state.weight(weight()),
            output == null ? pass.output() : kept.last(),
            kernels,
            identityThenActivation);
    if (output != null) {
      new LayerInput.Dense(kept.last())
          .times(
              state.weight(outputWeight()),
              pass.output(),
              kernels,
              pass.activation().after(state.weight(outputBias()).data()));
    }
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    Kept kept = kept(pass);
    DenseMatrix t = gradientOfLast(pass, kept, state, kernels);
    DenseMatrix m = kept.m();
    DenseMatrix gradient = state.gradient(weight());
    new LayerInput.Dense(m).transposedTimes(t, gradient, kernels);
    Epilogues.apply(Epilogues.scaled(ofWeight()), gradient, kernels.workers());
    kernels.timesTransposed(t, state.weight(weight()), m);
    Epilogues.apply(Epilogues.mix(ofWeight(), ofIdentity(), t), m, kernels.workers());
    DenseMatrix ofP = pass.carriedRows();
    Epilogues.apply(Epilogues.mix(1f, carriedShare(), m), ofP, kernels.workers());
    Epilogues.apply(Epilogues.scaled(keptShare()), m, kernels.workers());
    if (first != null) {
      KeptProjection p = projected(pass, kept);
      Activation sigma = pass.inner().apply(OF_PROJECTION);
      DenseMatrix sum = aggregatedBack(pass, m);
      Epilogues.apply(sigma.gated(sum), p.dropped(), kernels.workers());
      Epilogues.apply(sigma.undropped().gated(ofP), p.whole(), kernels.workers());
      Epilogues.apply(
          Epilogues.add(p.whole()), p.dropped().rows(0, pass.targetRows()), kernels.workers());
      first.backward(pass, p.rest(), p.dropped(), state, kernels);
    }
  }

  /// The gradients of the output projection, and that of what precedes the activation before it.
  private DenseMatrix gradientOfLast(LayerPass pass, Kept kept, DenseState state, Kernels kernels) {
    DenseMatrix t = pass.output();
    if (output == null) {
      return t;
    }
    ColumnSums.of(t, state.gradient(outputBias()).data(), kernels.workers());
    new LayerInput.Dense(kept.last()).transposedTimes(t, state.gradient(outputWeight()), kernels);
    kernels.timesTransposed(
        t, state.weight(outputWeight()), kept.last(), pass.inner().apply(OF_LAST));
    return kept.last();
  }

  private DenseMatrix aggregatedBack(LayerPass pass, DenseMatrix m) {
    DenseMatrix sum = pass.shared().reshaped(pass.sourceRows(), width);
    pass.aggregation().backward(m, sum);
    return sum;
  }

  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    DenseMatrix sum = aggregatedBack(pass, kept(pass).m());
    Epilogues.apply(before.gated(sum), h, kernels.workers());
  }
}
