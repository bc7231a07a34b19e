package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.layers.Pieces;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Weight;
import org.jspecify.annotations.Nullable;

/// `Y = X W + b` at each position. Backward: `dW = X^T T`, `db` the column sums of `T`, `dX = T
/// W^T`.
///
/// Parameters: `name.weight`, `in x out`, normal around 0; `name.bias`, `1 x out`, zero.
///
/// @param name of the parameters, before a dot and their own name
/// @param input shape of a sample
/// @param outChannels columns of `Y`
/// @param biased whether there is a bias; see [#biased] and [#unbiased]
/// @param deviation of the initial weights
public record Linear(String name, Shape input, int outChannels, boolean biased, double deviation)
    implements Layer {
  /// Checks the sizes.
  public Linear {
    input.withChannels(outChannels);
  }

  /// {@return a layer with a bias}
  ///
  /// @param name of the parameters, before a dot and their own name
  /// @param input shape of a sample
  /// @param outChannels of the output
  /// @param deviation of the initial weights
  public static Linear biased(String name, Shape input, int outChannels, double deviation) {
    return new Linear(name, input, outChannels, true, deviation);
  }

  /// {@return a layer without a bias}
  ///
  /// @param name of the parameters, before a dot and their own name
  /// @param input shape of a sample
  /// @param outChannels of the output
  /// @param deviation of the initial weights
  public static Linear unbiased(String name, Shape input, int outChannels, double deviation) {
    return new Linear(name, input, outChannels, false, deviation);
  }

  @Override
  public Shape output() {
    return input.withChannels(outChannels);
  }

  /// Name of the matrix.
  String weight() {
    return name + ".weight";
  }

  /// Name of the bias.
  String bias() {
    return name + ".bias";
  }

  @Override
  public void declare(ParameterLayout.Builder layout) {
    layout.add(weight(), input.channels(), outChannels, true);
    if (biased) {
      layout.add(bias(), 1, outChannels, false);
    }
  }

  @Override
  public void initialise(Initialisation weights) {
    weights.normal(weight(), deviation);
  }

  @Override
  public long workElements(int samples) {
    return biased ? Pieces.elements(1, outChannels) : 0;
  }

  @Override
  public double operations() {
    return 2.0 * input.elements() * outChannels;
  }

  @Override
  public DenseMatrix forward(DenseMatrix x, DenseMatrix kept, Pass pass) {
    DenseMatrix y = Batches.output(this, kept, pass.samples());
    RowEpilogue epilogue = biased ? Epilogues.bias(pass.state().vector(bias())) : RowEpilogue.NONE;
    pass.state().parameter(weight()).multiply(x, y, pass.kernels().workers(), epilogue);
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
    Weight w = pass.state().parameter(weight());
    w.addGradient(x, t, pass.kernels().workers());
    if (biased) {
      Batches.addColumnSums(t, bias(), new Pieces(work).next(1, outChannels), pass);
    }
    if (g != null) {
      w.multiplyTransposed(t, g, pass.kernels().workers(), RowEpilogue.NONE);
    }
  }
}
