package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Elementwise;
import org.jspecify.annotations.Nullable;

/// `y = max(x, 0)`; backward `dx = t` where `y > 0`, else 0.
///
/// @param input shape of a sample
public record Relu(Shape input) implements Layer {
  @Override
  public Shape output() {
    return input;
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    DenseMatrix y = Batches.output(this, kept, pass.samples());
    Elementwise.relu(x, y, pass.kernels().workers());
    return y;
  }

  @Override
  public void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass) {
    if (g != null) {
      DenseMatrix y = Batches.output(this, kept, pass.samples());
      Elementwise.reluGradient(y, t, g, pass.kernels().workers());
    }
  }
}
