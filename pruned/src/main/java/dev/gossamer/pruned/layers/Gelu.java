package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Elementwise;

/// `y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`, the non-linearity of GPT, and its
/// derivative; see [Elementwise#gelu].
///
/// @param input shape of a sample
public record Gelu(Shape input) implements Weightless {
  @Override
  public Shape output() {
    return input;
  }

  @Override
  public void compute(DenseMatrix x, DenseMatrix y, Pass pass) {
    Elementwise.gelu(x, y, pass.kernels().workers());
  }

  @Override
  public void differentiate(DenseMatrix x, DenseMatrix y, DenseMatrix t, DenseMatrix g, Pass pass) {
    Elementwise.geluGradient(x, t, g, pass.kernels().workers());
  }
}
