package dev.gossamer.nn;

import java.lang.foreign.ValueLayout;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/// Glorot and Bengio's (2010) initialisation: weights uniform in `±sqrt(6 / (in + out))`, biases
/// zero.
public final class Glorot {
  private Glorot() {}

  /// Draws every weight of a model anew; each parameter has a random stream of its own, so that
  /// adding one does not change the others.
  ///
  /// @param state whose weights are overwritten
  /// @param seed of all draws
  public static void initialise(DenseState state, long seed) {
    int stream = 0;
    for (ParameterLayout.Entry entry : state.layout().entries()) {
      UniformRandomProvider random =
          RandomSource.PHILOX_4X32.create(
              new int[] {(int) seed, (int) (seed >>> 32), stream++, 0, 0, 0});
      double bound = entry.rows() == 1 ? 0 : Math.sqrt(6.0 / ((long) entry.rows() + entry.cols()));
      for (long i = entry.offset(); i < entry.offset() + entry.count(); i++) {
        float value = (float) ((2 * random.nextDouble() - 1) * bound);
        state.weights().setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
      }
    }
  }
}
