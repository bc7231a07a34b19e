package dev.gossamer.pruned.layers;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.BatchNormalisation;
import dev.gossamer.nn.layers.Pieces;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Normalisation of each channel over all positions of a microbatch: `y = gain (x - mean) /
/// sqrt(variance + epsilon) + bias`; see [BatchNormalisation] for gradients. Evaluation uses the
/// running mean and variance, and has no backward pass.
///
/// The backward pass adds mean and variance of the microbatch to the [Statistics], once, even if
/// the forward pass is repeated. The variance is that of the microbatch, not an estimate of the
/// population's, which is `n / (n - 1)` times larger.
///
/// Parameters, vectors over the channels: `name.gain`, one; `name.bias`, zero. Statistics, also
/// vectors: `name.mean`, `name.variance`.
///
/// @param name of the parameters, before a dot and their own name
/// @param input shape of a sample
/// @param epsilon added to the variance
public record BatchNorm(String name, Shape input, float epsilon) implements Layer {
  /// Uses the default epsilon, `1e-5`.
  ///
  /// @param name of the parameters, before a dot and their own name
  /// @param input shape of a sample
  public BatchNorm(String name, Shape input) {
    this(name, input, 1e-5f);
  }

  @Override
  public Shape output() {
    return input;
  }

  /// {@return the name of the scales of its channels}
  public String gain() {
    return name + ".gain";
  }

  /// Returns the names of its vectors: parameters and statistics.
  List<String> vectors() {
    return List.of(gain(), bias(), mean(), variance());
  }

  private String bias() {
    return name + ".bias";
  }

  private String mean() {
    return name + ".mean";
  }

  private String variance() {
    return name + ".variance";
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
  public void declareStatistics(ParameterLayout.Builder layout) {
    layout.add(mean(), 1, input.channels(), false);
    layout.add(variance(), 1, input.channels(), false);
  }

  @Override
  public long keptElements(int samples) {
    return Batches.elements(input, samples) + Pieces.elements(2, input.channels());
  }

  @Override
  public long workElements(int samples) {
    return Pieces.elements(2, input.channels());
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    Pieces pieces = new Pieces(kept);
    DenseMatrix y = Batches.next(pieces, input, pass.samples());
    DenseMatrix moments = pieces.next(2, input.channels());
    Workers w = pass.kernels().workers();
    if (pass.training()) {
      BatchNormalisation.moments(x, moments, w);
    } else {
      moments.rows(0, 1).data().copyFrom(pass.statistics().running(mean()));
      moments.rows(1, 2).data().copyFrom(pass.statistics().running(variance()));
    }
    ModelState state = pass.state();
    BatchNormalisation.forward(
        x,
        moments.rows(0, 1).data(),
        moments.rows(1, 2).data(),
        state.vector(gain()),
        state.vector(bias()),
        epsilon,
        y,
        w);
    return y;
  }

  /// @throws IllegalStateException if it is not a training pass
  @Override
  public void backward(
      DenseMatrix x,
      DenseMatrix kept,
      DenseMatrix t,
      @Nullable DenseMatrix g,
      DenseMatrix work,
      Pass pass) {
    if (!pass.training()) {
      throw new IllegalStateException(name + ": evaluation has no backward pass");
    }
    Pieces pieces = new Pieces(kept);
    Batches.next(pieces, input, pass.samples());
    DenseMatrix moments = pieces.next(2, input.channels());
    DenseMatrix sums = new Pieces(work).next(2, input.channels());
    ModelState state = pass.state();
    BatchNormalisation.backward(
        x, moments, state.vector(gain()), epsilon, t, g, sums, pass.kernels().workers());
    state.parameter(gain()).addGradientRows(0, 1, sums.rows(0, 1).data());
    state.parameter(bias()).addGradientRows(0, 1, sums.rows(1, 2).data());
    pass.statistics().add(mean(), moments.rows(0, 1).data());
    pass.statistics().add(variance(), moments.rows(1, 2).data());
  }
}
