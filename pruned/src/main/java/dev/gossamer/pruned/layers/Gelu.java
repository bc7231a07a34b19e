package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Elementwise;
import org.jspecify.annotations.Nullable;

/// `y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`, the non-linearity of GPT, and its
/// derivative; see [Elementwise#gelu].
///
/// @param input shape of a sample
public record Gelu(Shape input) implements Layer {
  @Override
  public Shape output() {
    return input;
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    DenseMatrix y = Batches.output(this, kept, pass.samples());
    Elementwise.gelu(x, y, pass.kernels().workers());
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
      Elementwise.geluGradient(x, t, g, pass.kernels().workers());
    }
  }
}
