package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import org.jspecify.annotations.Nullable;

/// A layer without parameters. It keeps its output alone, and needs no temporary memory.
public sealed interface Weightless extends Layer
    permits Gelu, Relu, DropoutLayer, MaxPool, AveragePool, Flatten {
  /// Computes the output.
  ///
  /// @param x the input
  /// @param y the output, overwritten
  /// @param pass context that the layers share
  void compute(DenseMatrix x, DenseMatrix y, Pass pass);

  /// Computes the gradient of the input.
  ///
  /// @param x the input of the forward pass
  /// @param y its output
  /// @param t gradient of the output, read
  /// @param g gradient of the input, overwritten
  /// @param pass context that the layers share
  void differentiate(DenseMatrix x, DenseMatrix y, DenseMatrix t, DenseMatrix g, Pass pass);

  @Override
  default DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    DenseMatrix y = Batches.output(this, kept, pass.samples());
    compute(x, y, pass);
    return y;
  }

  @Override
  default void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass) {
    if (g != null) {
      differentiate(x, Batches.output(this, kept, pass.samples()), t, g, pass);
    }
  }
}
