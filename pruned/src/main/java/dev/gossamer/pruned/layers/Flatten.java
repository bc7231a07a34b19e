package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import org.jspecify.annotations.Nullable;

/// Turns all positions of a sample into channels of a single position, line by line. The order in
/// memory does not change; elements are copied, because a layer owns its output.
///
/// @param input shape of a sample
public record Flatten(Shape input) implements Layer {
  /// Checks the sizes.
  public Flatten {
    Math.toIntExact(input.elements());
  }

  @Override
  public Shape output() {
    return new Shape(1, 1, (int) input.elements());
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    DenseMatrix y = Batches.output(this, kept, pass.samples());
    y.data().copyFrom(x.data());
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
      g.data().copyFrom(t.data());
    }
  }
}
