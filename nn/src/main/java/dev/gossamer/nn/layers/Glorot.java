package dev.gossamer.nn.layers;

import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterDraws;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;

/// Glorot and Bengio's (2010) initialisation: weights uniform in `±sqrt(6 / (in + out))`, biases
/// zero, gains one.
public final class Glorot {
  private Glorot() {}

  /// Draws every weight of a model; the values of a parameter depend only on the seed and its name
  /// ([ParameterDraws]).
  ///
  /// @param state whose weights are overwritten
  /// @param seed of all draws
  public static void initialise(DenseState state, long seed) {
    for (ParameterLayout.Entry entry : state.layout().entries()) {
      RandomGenerator random = ParameterDraws.of(seed, entry.name());
      // By its name: the weights of a graph with one feature are a row, too.
      boolean bias = entry.name().endsWith(".bias");
      boolean gain = entry.name().endsWith(".gain");
      double bound = Math.sqrt(6.0 / ((long) entry.rows() + entry.cols()));
      for (long i = entry.offset(); i < entry.offset() + entry.count(); i++) {
        double value = bias ? 0 : gain ? 1 : (2 * random.nextDouble() - 1) * bound;
        state.weights().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
      }
    }
  }
}
