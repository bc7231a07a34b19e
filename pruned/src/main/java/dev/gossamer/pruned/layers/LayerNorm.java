package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.LayerNormalisation;
import dev.gossamer.nn.layers.Pieces;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import org.jspecify.annotations.Nullable;

/// Normalisation over the channels of each position: `y = gain (x - mean) / sqrt(variance +
/// epsilon) + bias`; see [LayerNormalisation] for gradients. Keeps the output, and mean and
/// deviation of each position.
///
/// Parameters, vectors over the channels: `name.gain`, one; `name.bias`, zero.
///
/// @param name of the parameters, before a dot and their own name
/// @param input shape of a sample
/// @param epsilon added to the variance
public record LayerNorm(String name, Shape input, float epsilon) implements Layer {
  /// Uses the default epsilon, `1e-5`.
  ///
  /// @param name of the parameters, before a dot and their own name
  /// @param input shape of a sample
  public LayerNorm(String name, Shape input) {
    this(name, input, 1e-5f);
  }

  @Override
  public Shape output() {
    return input;
  }

  /// Name of the gain.
  String gain() {
    return name + ".gain";
  }

  /// Name of the bias.
  String bias() {
    return name + ".bias";
  }

  @Override
  public void declare(ParameterLayout.Builder layout) {
    layout.add(gain(), 1, input.channels(), false);
    layout.add(bias(), 1, input.channels(), false);
  }

  @Override
  public void initialise(Initialisation weights) {
    weights.constant(gain(), 1);
  }

  @Override
  public long keptElements(int samples) {
    return Batches.elements(input, samples) + Batches.elements(input.withChannels(2), samples);
  }

  @Override
  public long workElements(int samples) {
    return Pieces.elements(2, input.channels());
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    Pieces pieces = new Pieces(kept);
    DenseMatrix y = Batches.next(pieces, input, pass.samples());
    DenseMatrix moments = Batches.next(pieces, input.withChannels(2), pass.samples());
    ModelState state = pass.state();
    LayerNormalisation.forward(
        x,
        state.vector(gain()),
        state.vector(bias()),
        epsilon,
        y,
        moments,
        pass.kernels().workers());
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
    Pieces pieces = new Pieces(kept);
    Batches.next(pieces, input, pass.samples());
    DenseMatrix moments = Batches.next(pieces, input.withChannels(2), pass.samples());
    DenseMatrix sums = new Pieces(work).next(2, input.channels());
    ModelState state = pass.state();
    LayerNormalisation.backward(
        x, state.vector(gain()), moments, t, g, sums, pass.kernels().workers());
    state.parameter(gain()).addGradientRows(0, 1, sums.rows(0, 1).data());
    state.parameter(bias()).addGradientRows(0, 1, sums.rows(1, 2).data());
  }
}
