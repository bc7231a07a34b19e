package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import org.jspecify.annotations.Nullable;

/// All positions of a sample become channels of a single one, line by line, the channels of each
/// together. The numbers lie in memory as before; they are copied, because a layer's output is its
/// own, which behind poolings is little.
///
/// @param input what a sample looks like
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
