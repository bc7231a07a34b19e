package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.state.Weight;
import org.jspecify.annotations.Nullable;

/// The logits of a language model whose head is the transposed token embedding `E`, `vocabulary x
/// width`, as in GPT-2 (O. Press and L. Wolf, *Using the output embedding to improve language
/// models*, 2017): `Y = X E^T`. Backward: `dE += T^T X`, in addition to [TokenEmbedding], and `dX =
/// T E`.
///
/// It has no parameters of its own. The embedding must be on the same pipeline stage.
///
/// @param tokens name of the embedding
/// @param input shape of a sample
/// @param vocabulary rows of the embedding
public record TiedHead(String tokens, Shape input, int vocabulary) implements Layer {
  @Override
  public Shape output() {
    return input.withChannels(vocabulary);
  }

  @Override
  public double operations() {
    return 2.0 * input.elements() * vocabulary;
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    DenseMatrix y = Batches.output(this, kept, pass.samples());
    Weight table = pass.state().parameter(tokens);
    table.multiplyTransposed(x, y, pass.kernels().workers(), RowEpilogue.NONE);
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
    Weight table = pass.state().parameter(tokens);
    table.addGradient(t, x, pass.kernels().workers());
    if (g != null) {
      table.multiply(t, g, pass.kernels().workers(), RowEpilogue.NONE);
    }
  }
}
