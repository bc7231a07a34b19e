package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Elementwise;

/// `y = max(x, 0)`; backward `dx = t` where `y > 0`, else 0.
///
/// @param input shape of a sample
public record Relu(Shape input) implements Weightless {
  @Override
  public Shape output() {
    return input;
  }

  @Override
  public void compute(DenseMatrix x, DenseMatrix y, Pass pass) {
    Elementwise.relu(x, y, pass.kernels().workers());
  }

  @Override
  public void differentiate(DenseMatrix x, DenseMatrix y, DenseMatrix t, DenseMatrix g, Pass pass) {
    Elementwise.reluGradient(y, t, g, pass.kernels().workers());
  }
}
