package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/// The last layer of a network with jumping knowledge: a hidden layer like those before it, and a
/// dense layer on the combination of all of them, `Z = C W + b` ([Jumping]).
///
/// `C` is what the layers have left in the carried rows. Backward, `T W^T` overwrites it, of which
/// each layer adds its part to the gradient of its own output, from the last to the first. The
/// output of the hidden layer, and then its gradient, is kept; with [Jumping#MAX], the product
/// reads the maxima from there, because products need rows without gaps.
///
/// @param last the hidden layer
/// @param out width of `Z`
record JumpingOutput(JumpingLayer last, int out) implements AroundLayer {
  private String weight() {
    return name() + ".jumping.weight";
  }

  private String bias() {
    return name() + ".jumping.bias";
  }

  private int combinedWidth() {
    return last.jump().combinedWidth();
  }

  @Override
  public GraphLayer layer() {
    return last;
  }

  @Override
  public int carriedWidth() {
    return last.carriedWidth();
  }

  @Override
  public boolean joinsCarried() {
    return true;
  }

  /// Declares the parameters of the hidden layer, and those of the dense layer.
  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    last.declare(layout, decays);
    layout.add(weight(), combinedWidth(), out, decays);
    layout.add(bias(), 1, out, false);
  }

  @Override
  public long sharedElements(PassSize size, Backward backward) {
    return last.sharedElements(size, backward);
  }

  @Override
  public long keptElements(PassSize size) {
    return Pieces.elements(size.targets(), last.out()) + last.keptElements(size);
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    List<LayerProduct> products = new ArrayList<>(last.products(backward));
    LayerProduct.Rows rows = LayerProduct.Rows.TARGETS;
    if (backward != Backward.NONE) {
      products.add(new LayerProduct.Dense(rows, combinedWidth(), out, false, true));
      products.add(new LayerProduct.Dense(rows, out, combinedWidth(), false, false));
    }
    products.add(new LayerProduct.Dense(rows, combinedWidth(), out, false, false));
    return products;
  }

  /// The pass of the hidden layer, whose output is what is kept.
  private LayerPass hidden(LayerPass pass) {
    Pieces pieces = new Pieces(pass.kept());
    DenseMatrix h = pieces.next(pass.targetRows(), last.out());
    return pass.within(pass.activation(), pieces.rest(), h);
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    LayerPass hidden = hidden(pass);
    last.forward(hidden, state, kernels);
    DenseMatrix c = last.jump().combined(pass.carriedRows(), hidden.output());
    last.jump().gather(pass.carriedRows(), c, kernels);
    new LayerInput.Dense(c)
        .times(
            state.weight(weight()),
            pass.output(),
            kernels,
            Epilogues.bias(state.weight(bias()).data()));
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    LayerPass hidden = hidden(pass);
    DenseMatrix t = pass.output();
    DenseMatrix h = hidden.output();
    DenseMatrix c = last.jump().combined(pass.carriedRows(), h);
    ColumnSums.of(t, state.gradient(bias()).data(), kernels.workers());
    new LayerInput.Dense(c).transposedTimes(t, state.gradient(weight()), kernels);
    kernels.timesTransposed(t, state.weight(weight()), c);
    last.jump().spread(c, pass.carriedRows(), kernels);
    h.fill(0);
    last.backward(hidden, state, kernels);
  }

  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    last.inputGradient(hidden(pass), h, before, state, kernels);
  }
}
