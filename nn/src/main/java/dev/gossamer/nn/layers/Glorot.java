package dev.gossamer.nn.layers;

import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterDraws;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;

/// Glorot and Bengio's (2010) initialisation: weights uniform in `±sqrt(6 / (in + out))`, biases
/// zero, gains one, slopes of PReLU 0.25; means zero and variances one before the first batch.
public final class Glorot {
  /// End of the name of a slope of [Activation.Function#PRELU].
  static final String SLOPE = ".slope";

  /// As in the paper (K. He et al., ICCV 2015).
  private static final double INITIAL_SLOPE = 0.25;

  private Glorot() {}

  /// Draws every weight of a model; the values of a parameter depend only on the seed and its name
  /// ([ParameterDraws]).
  ///
  /// @param state whose weights are overwritten
  /// @param seed of all draws
  public static void initialise(DenseState state, long seed) {
    for (ParameterLayout.Entry entry : state.layout().entries()) {
      RandomGenerator random = ParameterDraws.of(seed, entry.name());
      double bound = Math.sqrt(6.0 / ((long) entry.rows() + entry.cols()));
      // By its name: the weights of a graph with one feature are a row, too.
      String kind = entry.name().substring(entry.name().lastIndexOf('.'));
      for (long i = entry.offset(); i < entry.offset() + entry.count(); i++) {
        double value =
            switch (kind) {
              case ".bias", RunningStatistics.MEAN, RunningStatistics.STEPS -> 0;
              case ".gain", RunningStatistics.VARIANCE -> 1;
              case SLOPE -> INITIAL_SLOPE;
              default -> (2 * random.nextDouble() - 1) * bound;
            };
        state.weights().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
      }
    }
  }
}
