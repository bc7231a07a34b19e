package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import org.jspecify.annotations.Nullable;

/// A layer around another one, which computes what the graph is for: it has the name, the input and
/// the order of that.
interface AroundLayer extends GraphLayer {
  /// {@return the layer inside}
  GraphLayer layer();

  @Override
  default String name() {
    return layer().name();
  }

  @Override
  default int in() {
    return layer().in();
  }

  @Override
  default int out() {
    return layer().out();
  }

  @Override
  default Order order() {
    return layer().order();
  }

  @Override
  default boolean readsOwnRows() {
    return layer().readsOwnRows();
  }

  @Override
  default int aggregatedWidth() {
    return layer().aggregatedWidth();
  }

  /// The second half of a layer, as [LayerHalves#aggregate].
  @FunctionalInterface
  interface SecondHalf {
    /// Computes it from what [LayerHalves#aggregate] gets.
    void aggregate(
        LayerHalves halves,
        LayerPass pass,
        DenseMatrix hw,
        DenseMatrix o,
        DenseState state,
        Kernels kernels);
  }

  /// {@return the two halves of the layer inside with another second half; null if it has none}
  ///
  /// @param second computes that
  default @Nullable LayerHalves halves(SecondHalf second) {
    LayerHalves halves = layer().halves();
    return halves == null ? null : new Halves(halves, second);
  }

  /// The first half of a layer, and another second half.
  ///
  /// @param halves those of the layer
  /// @param second what computes its second half
  record Halves(LayerHalves halves, SecondHalf second) implements LayerHalves {
    @Override
    public int out() {
      return halves.out();
    }

    @Override
    public int transformedWidth() {
      return halves.transformedWidth();
    }

    @Override
    public void transform(
        LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
      halves.transform(pass, hw, o, state, kernels);
    }

    @Override
    public void aggregate(
        LayerPass pass, DenseMatrix hw, DenseMatrix o, DenseState state, Kernels kernels) {
      second.aggregate(halves, pass, hw, o, state, kernels);
    }
  }
}
