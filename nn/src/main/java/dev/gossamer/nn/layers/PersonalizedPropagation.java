package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A step of approximate personalised propagation of neural predictions (J. Klicpera et al., ICLR
/// 2019, section 3): `Z' = (1 - alpha) Â Z + alpha P`, where `P = MLP(X)` are the predictions from
/// the features alone, and the first step begins at `Z = P`. There is no activation.
///
/// The first step computes `P` for its sources and leaves the targets' rows for the later ones
/// ([LayerPass#carried]), which have no parameters. `Â` multiplies rows as wide as the predictions,
/// so that a step costs little more than an entry's row of them.
///
/// Backward: each step adds `alpha T` to the gradient of `P`, and continues with `(1 - alpha) Â^T
/// T`; the first adds both for its targets.
///
/// @param name prefix of its parameters: `layers.0`
/// @param first computes `P`; null in all steps but the first
/// @param in width of the features, or of `Z`
/// @param out width of `Z`
/// @param teleport `alpha`, the share of `P`
public record PersonalizedPropagation(
    String name, @Nullable Projection first, int in, int out, double teleport)
    implements GraphLayer {
  /// {@return the first step}
  ///
  /// @param name prefix of its parameters: `layers.0`
  /// @param widths of the features, of the hidden layers of the perceptron, and of `Z`
  /// @param decays whether weight decay applies to other weights than those of the features
  /// @param teleport `alpha`
  public static PersonalizedPropagation first(
      String name, List<Integer> widths, boolean decays, double teleport) {
    Projection perceptron = new Projection(name + ".dense", widths, 1, decays ? 1 : 0);
    return new PersonalizedPropagation(
        name, perceptron, widths.getFirst(), widths.getLast(), teleport);
  }

  /// {@return a later step}
  ///
  /// @param name of the layer
  /// @param width of `Z`
  /// @param teleport `alpha`
  public static PersonalizedPropagation later(String name, int width, double teleport) {
    return new PersonalizedPropagation(name, null, width, width, teleport);
  }

  private float kept() {
    return (float) (1 - teleport);
  }

  private float share() {
    return (float) teleport;
  }

  @Override
  public Order order() {
    return Order.TRANSFORM_FIRST;
  }

  @Override
  public int carriedWidth() {
    return first == null ? 0 : out;
  }

  @Override
  public int aggregatedWidth() {
    return out;
  }

  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    if (first != null) {
      first.declare(layout);
    }
  }

  /// Returns those of `P` and of its gradient, in the first step.
  @Override
  public long sharedElements(PassSize size, Backward backward) {
    return first == null ? 0 : size.sources() * out;
  }

  @Override
  public long keptElements(PassSize size) {
    return first == null ? 0 : first.keptElements(size.sources());
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    boolean returns = backward == Backward.INPUT || (first != null && backward != Backward.NONE);
    List<LayerProduct> products = new ArrayList<>();
    if (first != null) {
      products.addAll(first.products(backward));
    }
    products.add(new LayerProduct.Aggregated(out, false));
    products.add(new LayerProduct.Elementwise(out, 1));
    if (returns) {
      products.add(new LayerProduct.Aggregated(out, true));
      products.add(new LayerProduct.Elementwise(out, first == null ? 5 : 6));
    }
    return products;
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    if (first != null) {
      DenseMatrix p = p(pass);
      transform(first, pass, p, state, kernels);
      propagate(pass, p);
    } else {
      propagate(pass, pass.sourceMatrix());
    }
  }

  @Override
  public @Nullable LayerHalves halves() {
    return first == null ? null : new Halves(this, first);
  }

  /// The first step in two halves.
  private record Halves(PersonalizedPropagation whole, Projection first) implements LayerHalves {
    @Override
    public int out() {
      return whole.out();
    }

    @Override
    public void transform(
        LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
      PersonalizedPropagation.transform(first, pass, hw, state, kernels);
    }

    @Override
    public void aggregate(
        LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
      whole.propagate(pass, hw);
    }
  }

  private static void transform(
      Projection first, LayerPass pass, DenseMatrix p, DenseState state, Kernels kernels) {
    first.forward(pass, pass.kept(), Activation.NONE, p, state, kernels);
    pass.carriedRows().copyFrom(p.rows(0, pass.carriedRows().rows()));
  }

  private void propagate(LayerPass pass, DenseMatrix z) {
    pass.aggregation()
        .forward(z, pass.output(), Epilogues.mix(kept(), share(), pass.carriedRows()));
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    DenseMatrix ofP = pass.carriedRows();
    Epilogues.apply(Epilogues.mix(1f, share(), pass.output()), ofP, kernels.workers());
    Epilogues.apply(Epilogues.scaled(kept()), pass.output(), kernels.workers());
    if (first != null) {
      DenseMatrix gradient = p(pass);
      pass.aggregation().backward(pass.output(), gradient);
      Epilogues.apply(Epilogues.add(ofP), gradient.rows(0, ofP.rows()), kernels.workers());
      first.backward(pass, pass.kept(), gradient, state, kernels);
    }
  }

  /// @throws IllegalArgumentException if the layer before has an activation
  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    if (!before.isNone()) {
      throw new IllegalArgumentException(name + ": expected no activation before a propagation");
    }
    pass.aggregation().backward(pass.output(), h);
  }

  /// Where `P` is, and then its gradient.
  private DenseMatrix p(LayerPass pass) {
    return pass.shared().reshaped(pass.sourceRows(), out);
  }
}
