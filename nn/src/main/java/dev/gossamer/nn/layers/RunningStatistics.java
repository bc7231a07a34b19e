package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.List;

/// The running statistics of batch normalisation: moving averages of mean and variance (with `n -
/// 1` in the denominator) of the batches of each optimizer step. They are parameters without a
/// gradient, so that checkpoints, best weights and model files contain them.
///
/// A batch leaves its statistics in the place of that gradient. So they are added up over the
/// batches of a step and over ranks like gradients, and [#update] takes them from there before the
/// optimizer sees them.
public final class RunningStatistics {
  static final String MEAN = ".mean";
  static final String VARIANCE = ".variance";
  static final String STEPS = ".steps";

  /// What the newest step counts, as in PyTorch; the average of all steps as long as they are fewer
  /// than ten.
  private static final double LEAST_RATE = 0.1;

  private final List<String> names;

  /// Finds the statistics of a network.
  ///
  /// @param layout its parameters
  public RunningStatistics(ParameterLayout layout) {
    names =
        layout.entries().stream()
            .map(ParameterLayout.Entry::name)
            .filter(name -> name.endsWith(STEPS))
            .map(name -> name.substring(0, name.length() - STEPS.length()))
            .toList();
  }

  /// Adds the statistics of a normalisation to a layout.
  static void declare(ParameterLayout.Builder layout, String name, int width) {
    layout.add(name + MEAN, 1, width, false);
    layout.add(name + VARIANCE, 1, width, false);
    layout.add(name + STEPS, 1, 1, false);
  }

  /// Leaves the statistics of a batch.
  ///
  /// @param moments `2 x width`
  /// @param rows of the batch
  static void contribute(DenseState state, String name, DenseMatrix moments, double rows) {
    state.gradient(name + MEAN).copyFrom(moments.rows(0, 1));
    DenseMatrix variance = state.gradient(name + VARIANCE);
    double factor = rows / Math.max(1, rows - 1);
    for (int j = 0; j < moments.cols(); j++) {
      variance.set(0, j, (float) (moments.get(1, j) * factor));
    }
    state.gradient(name + STEPS).fill(1);
  }

  /// Updates the averages by the mean over the batches of a step, and sets what they have left to
  /// 0.
  ///
  /// @param state with gradients that are added up over the batches of a step and over ranks
  public void update(DenseState state) {
    for (String name : names) {
      DenseMatrix batches = state.gradient(name + STEPS);
      DenseMatrix steps = state.weight(name + STEPS);
      float count = batches.get(0, 0);
      if (count > 0) {
        double rate = Math.max(LEAST_RATE, 1 / (steps.get(0, 0) + 1.0));
        move(state, name + MEAN, count, rate);
        move(state, name + VARIANCE, count, rate);
        steps.set(0, 0, steps.get(0, 0) + 1);
      }
      batches.fill(0);
    }
  }

  private static void move(DenseState state, String name, float count, double rate) {
    DenseMatrix average = state.weight(name);
    DenseMatrix sums = state.gradient(name);
    for (int j = 0; j < average.cols(); j++) {
      double before = average.get(0, j);
      average.set(0, j, (float) (before + rate * (sums.get(0, j) / count - before)));
    }
    sums.fill(0);
  }
}
