package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A hidden layer whose output is also left for the output of the network ([Jumping]), in the
/// carried rows ([LayerPass#carried]). These are only of the targets of the last layer: the first
/// targets of each.
///
/// The layer before leaves `dL/dH'` unchanged, as in a [FinishedLayer], which the layer is; to that
/// [#backward] adds the layer's part of the gradient in the carried rows.
///
/// @param layer a hidden layer that applies the derivative of its activation itself
/// @param jump its place among those that are combined
record JumpingLayer(GraphLayer layer, Jump jump) implements AroundLayer {
  @Override
  public int carriedWidth() {
    return jump.carriedWidth();
  }

  @Override
  public Activation leftToNext(Activation activation) {
    return layer.leftToNext(activation);
  }

  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    layer.declare(layout, decays);
  }

  @Override
  public long sharedElements(PassSize size, Backward backward) {
    return layer.sharedElements(size, backward);
  }

  @Override
  public long keptElements(PassSize size) {
    return layer.keptElements(size);
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    List<LayerProduct> products = new ArrayList<>(layer.products(backward));
    products.add(new LayerProduct.Elementwise(out(), jump.matricesLeft()));
    if (backward != Backward.NONE) {
      products.add(new LayerProduct.Elementwise(out(), jump.matricesAdded()));
    }
    return products;
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    layer.forward(pass, state, kernels);
    jump.leave(pass.output(), pass.carriedRows(), kernels);
  }

  /// Leaves the output of the second half, too.
  @Override
  public @Nullable LayerHalves halves() {
    return halves((halves, pass, hw, o, state, kernels) -> {
      halves.aggregate(pass, hw, o, state, kernels);
      jump.leave(pass.output(), pass.carriedRows(), kernels);
    });
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    jump.addGradient(pass.carriedRows(), pass.output(), kernels);
    layer.backward(pass, state, kernels);
  }

  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    layer.inputGradient(pass, h, before, state, kernels);
  }
}
