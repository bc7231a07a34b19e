package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.format.RowIds;

/// Inverted dropout of single elements in training; the identity in evaluation. The dropped
/// elements depend only on seed, stream, step and the element's position in the batch of all ranks;
/// the backward pass draws them again.
///
/// @param input shape of a sample
/// @param seed of the run
/// @param stream which of the network's dropouts
/// @param rate probability of zero, `0 <= rate < 1`
public record DropoutLayer(Shape input, long seed, int stream, float rate) implements Weightless {
  /// Checks the sizes.
  public DropoutLayer {
    new Dropout(seed, stream, rate);
  }

  @Override
  public Shape output() {
    return input;
  }

  @Override
  public void compute(DenseMatrix x, DenseMatrix y, Pass pass) {
    drop(x, y, pass);
  }

  @Override
  public void differentiate(DenseMatrix x, DenseMatrix y, DenseMatrix t, DenseMatrix g, Pass pass) {
    drop(t, g, pass);
  }

  private void drop(DenseMatrix from, DenseMatrix to, Pass pass) {
    to.copyFrom(from);
    if (pass.training()) {
      RowIds rows = RowIds.from(pass.firstSample() * input.positions());
      new Dropout(seed, stream, rate).apply(to, pass.step(), rows, pass.kernels().workers());
    }
  }
}
