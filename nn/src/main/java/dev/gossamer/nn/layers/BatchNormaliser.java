package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.BatchNormalisation;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;

/// Batch normalisation ([BatchNormalisation]): in training by mean and variance over the rows of
/// the pass, on all ranks that compute it together; in evaluation by their running means
/// ([RunningStatistics]), so that a row's result does not depend on other rows. Keeps mean and
/// variance of each column.
///
/// @param name prefix of its parameters: `layers.0.norm`
/// @param width columns that are normalised
record BatchNormaliser(String name, int width) implements Normaliser {
  /// Declares gain and bias, and the running statistics.
  @Override
  public void declare(ParameterLayout.Builder layout) {
    Normaliser.super.declare(layout);
    RunningStatistics.declare(layout, name, width);
  }

  @Override
  public long keptElements(long rows) {
    return Pieces.elements(2, width);
  }

  @Override
  public List<Integer> summed() {
    return List.of(width + 1, width + 1, 2 * width + 1);
  }

  @Override
  public boolean ignoresShifts() {
    return true;
  }

  @Override
  public int matrices() {
    return 4;
  }

  private DenseMatrix moments(DenseMatrix kept) {
    return kept.reshaped(2, width);
  }

  @Override
  public void forward(
      DenseMatrix z,
      DenseMatrix y,
      DenseMatrix kept,
      LayerPass pass,
      DenseState state,
      Kernels kernels) {
    RankSums ranks = pass.ranks();
    if (ranks == null) {
      MemorySegment mean = state.weight(name + RunningStatistics.MEAN).data();
      normalise(z, mean, state.weight(name + RunningStatistics.VARIANCE).data(), y, state, kernels);
      return;
    }
    DenseMatrix moments = moments(kept);
    MemorySegment mean = moments.rows(0, 1).data();
    MemorySegment variance = moments.rows(1, 2).data();
    ColumnSums.of(z, mean, kernels.workers());
    divide(total(mean, z.rows(), ranks, kernels), mean);
    BatchNormalisation.squares(z, mean, variance, kernels.workers());
    double[] squares = total(variance, z.rows(), ranks, kernels);
    divide(squares, variance);
    RunningStatistics.contribute(state, name, moments, squares[width]);
    again(z, y, kept, state, kernels);
  }

  /// Adds up floats over ranks, and behind them the number of rows.
  private static double[] total(MemorySegment floats, long rows, RankSums ranks, Kernels kernels) {
    float[] mine = floats.toArray(ValueLayout.JAVA_FLOAT);
    double[] values = new double[mine.length + 1];
    for (int j = 0; j < mine.length; j++) {
      values[j] = mine[j];
    }
    values[mine.length] = rows;
    return kernels
        .clock()
        .measured(Phase.REDUCE, "allreduce statistics", () -> ranks.total(values));
  }

  /// Divides sums by the number of rows behind them.
  private static void divide(double[] sums, MemorySegment to) {
    int count = sums.length - 1;
    for (int j = 0; j < count; j++) {
      to.setAtIndex(ValueLayout.JAVA_FLOAT, j, (float) (sums[j] / sums[count]));
    }
  }

  @Override
  public void again(
      DenseMatrix z, DenseMatrix y, DenseMatrix kept, DenseState state, Kernels kernels) {
    DenseMatrix moments = moments(kept);
    normalise(z, moments.rows(0, 1).data(), moments.rows(1, 2).data(), y, state, kernels);
  }

  private void normalise(
      DenseMatrix z,
      MemorySegment mean,
      MemorySegment variance,
      DenseMatrix y,
      DenseState state,
      Kernels kernels) {
    BatchNormalisation.forward(
        z,
        mean,
        variance,
        state.weight(name + ".gain").data(),
        state.weight(name + ".bias").data(),
        EPSILON,
        y,
        kernels.workers());
  }

  /// The gradients of gain and bias are those of this rank's rows, as those of all parameters.
  @Override
  public void backward(
      DenseMatrix z,
      DenseMatrix t,
      DenseMatrix kept,
      DenseMatrix sums,
      LayerPass pass,
      DenseState state,
      Kernels kernels) {
    DenseMatrix moments = moments(kept);
    BatchNormalisation.gradientSums(z, moments, EPSILON, t, sums, kernels.workers());
    setGradients(sums, state);
    RankSums ranks = Objects.requireNonNull(pass.ranks(), "a backward pass is in training");
    double[] totals = total(sums.data(), z.rows(), ranks, kernels);
    for (int j = 0; j < 2 * width; j++) {
      sums.data().setAtIndex(ValueLayout.JAVA_FLOAT, j, (float) totals[j]);
    }
    BatchNormalisation.gradient(
        z,
        moments,
        state.weight(name + ".gain").data(),
        EPSILON,
        t,
        sums,
        (long) totals[2 * width],
        z,
        kernels.workers());
  }
}
