package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.LayerNormalisation;
import dev.gossamer.nn.state.DenseState;
import java.util.List;

/// Layer normalisation ([LayerNormalisation]). Keeps two moments of each row.
///
/// @param name prefix of its parameters: `layers.0.norm`
/// @param width columns that are normalised
record RowNormaliser(String name, int width) implements Normaliser {
  @Override
  public long keptElements(long rows) {
    return Pieces.elements(rows, 2);
  }

  @Override
  public List<Integer> summed() {
    return List.of();
  }

  @Override
  public boolean ignoresShifts() {
    return false;
  }

  @Override
  public int matrices() {
    return 2;
  }

  private static DenseMatrix moments(DenseMatrix z, DenseMatrix kept) {
    return kept.reshaped(z.rows(), 2);
  }

  @Override
  public void forward(
      DenseMatrix z,
      DenseMatrix y,
      DenseMatrix kept,
      LayerPass pass,
      DenseState state,
      Kernels kernels) {
    again(z, y, kept, state, kernels);
  }

  @Override
  public void again(
      DenseMatrix z, DenseMatrix y, DenseMatrix kept, DenseState state, Kernels kernels) {
    LayerNormalisation.forward(
        z,
        state.weight(name + ".gain").data(),
        state.weight(name + ".bias").data(),
        EPSILON,
        y,
        moments(z, kept),
        kernels.workers());
  }

  @Override
  public void backward(
      DenseMatrix z,
      DenseMatrix t,
      DenseMatrix kept,
      DenseMatrix sums,
      LayerPass pass,
      DenseState state,
      Kernels kernels) {
    LayerNormalisation.backward(
        z, state.weight(name + ".gain").data(), moments(z, kept), t, z, sums, kernels.workers());
    setGradients(sums, state);
  }
}
