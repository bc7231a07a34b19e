package dev.gossamer.nn.layers;

import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowGather;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The first layer of SIGN (F. Frasca et al., 2020, equation 6), on rows in which the features of
/// all hops are side by side: `Z = [X_0 W_0 | X_1 W_1 | .. | X_K W_K] + b`, where `X_k = Â^k X` has
/// been computed before. It does not look at the graph.
///
/// Products need rows without gaps, so that each `X_k` is copied out of the rows of its input, and
/// each `X_k W_k` into those of its output, through memory for one hop.
///
/// Backward: `dW_k = X_k^T T_k`. The input has no gradient.
///
/// @param name prefix of its parameters: `layers.0`
/// @param blocks `K + 1`
/// @param in width of the input, a multiple of the blocks
/// @param out width of `Z`, likewise
public record HopProjection(String name, int blocks, int in, int out) implements GraphLayer {
  /// Checks the widths.
  ///
  /// @throws IllegalArgumentException if one is not a multiple of the blocks
  public HopProjection {
    if (in % blocks != 0 || out % blocks != 0) {
      throw new IllegalArgumentException(
          "%s: %d x %d; expected multiples of %d blocks".formatted(name, in, out, blocks));
    }
  }

  private int features() {
    return in / blocks;
  }

  private int width() {
    return out / blocks;
  }

  private String weight(int k) {
    return "%s.hop.%d.weight".formatted(name, k);
  }

  @Override
  public Order order() {
    return Order.TRANSFORM_ONLY;
  }

  /// Declares a weight for each hop, and one bias.
  @Override
  public void declare(ParameterLayout.Builder layout, boolean decays) {
    for (int k = 0; k < blocks; k++) {
      layout.add(weight(k), features(), width(), decays);
    }
    layout.add(shift(), 1, out, false);
  }

  @Override
  public String shift() {
    return name + ".bias";
  }

  /// Returns those of `X_k` and of its product, or of `T_k`.
  @Override
  public long sharedElements(PassSize size, Backward backward) {
    return Pieces.elements(size.targets(), features()) + Pieces.elements(size.targets(), width());
  }

  @Override
  public long keptElements(PassSize size) {
    return 0;
  }

  @Override
  public int aggregatedWidth() {
    return 0;
  }

  @Override
  public List<LayerProduct> products(Backward backward) {
    List<LayerProduct> products = new ArrayList<>();
    addPass(false, products);
    if (backward != Backward.NONE) {
      addPass(true, products);
    }
    return products;
  }

  private void addPass(boolean gradient, List<LayerProduct> products) {
    LayerProduct product =
        new LayerProduct.Dense(LayerProduct.Rows.TARGETS, features(), width(), true, gradient);
    products.addAll(Collections.nCopies(blocks, product));
    products.add(new LayerProduct.Elementwise(in, 2));
    products.add(new LayerProduct.Elementwise(out, 2));
  }

  @Override
  public void forward(LayerPass pass, DenseState state, Kernels kernels) {
    Pieces pieces = new Pieces(pass.shared());
    DenseMatrix x = pieces.next(pass.targetRows(), features());
    DenseMatrix y = pieces.next(pass.targetRows(), width());
    for (int k = 0; k < blocks; k++) {
      copyInput(pass, k, x, kernels);
      new LayerInput.Dense(x).times(state.weight(weight(k)), y, kernels, RowEpilogue.NONE);
      RowGather.copy(ColumnBlock.all(y), output(pass, k), kernels.workers());
    }
    RowEpilogue sigma = pass.activation().after(state.weight(shift()).data());
    Epilogues.apply(sigma, pass.output(), kernels.workers());
  }

  @Override
  public void backward(LayerPass pass, DenseState state, Kernels kernels) {
    ColumnSums.of(pass.output(), state.gradient(shift()).data(), kernels.workers());
    Pieces pieces = new Pieces(pass.shared());
    DenseMatrix x = pieces.next(pass.targetRows(), features());
    DenseMatrix t = pieces.next(pass.targetRows(), width());
    for (int k = 0; k < blocks; k++) {
      copyInput(pass, k, x, kernels);
      RowGather.copy(output(pass, k), ColumnBlock.all(t), kernels.workers());
      new LayerInput.Dense(x).transposedTimes(t, state.gradient(weight(k)), kernels);
    }
  }

  /// @throws IllegalStateException always: it is the first layer
  @Override
  public void inputGradient(
      LayerPass pass, DenseMatrix h, Activation before, DenseState state, Kernels kernels) {
    throw new IllegalStateException(name + ": the features of hops have no gradient");
  }

  private void copyInput(LayerPass pass, int k, DenseMatrix x, Kernels kernels) {
    int begin = k * features();
    ColumnBlock hop = new ColumnBlock(pass.sourceMatrix(), begin, begin + features());
    RowGather.copy(hop, ColumnBlock.all(x), kernels.workers());
  }

  private ColumnBlock output(LayerPass pass, int k) {
    return new ColumnBlock(pass.output(), k * width(), (k + 1) * width());
  }
}
