package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;

/// Turns all positions of a sample into channels of a single position, line by line. The order in
/// memory does not change; elements are copied, because a layer owns its output.
///
/// @param input shape of a sample
public record Flatten(Shape input) implements Weightless {
  /// Checks the sizes.
  public Flatten {
    Math.toIntExact(input.elements());
  }

  @Override
  public Shape output() {
    return new Shape(1, 1, (int) input.elements());
  }

  @Override
  public void compute(DenseMatrix x, DenseMatrix y, Pass pass) {
    y.data().copyFrom(x.data());
  }

  @Override
  public void differentiate(DenseMatrix x, DenseMatrix y, DenseMatrix t, DenseMatrix g, Pass pass) {
    g.data().copyFrom(t.data());
  }
}
