package dev.gossamer.pruned.layers;

import dev.gossamer.nn.state.ParameterDraws;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;

/// Initial values of parameters. They depend only on the seed and the parameter's name
/// ([ParameterDraws]), so that they do not depend on the division into pipeline stages.
///
/// @param layout of the parameters to initialise; others are skipped
/// @param weights `float32[layout.count()]`, borrowed
/// @param seed of the run
public record Initialisation(ParameterLayout layout, MemorySegment weights, long seed) {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// Draws from a normal distribution around 0.
  ///
  /// @param name of a parameter
  /// @param deviation of the distribution
  public void normal(String name, double deviation) {
    if (!layout.has(name)) {
      return;
    }
    ParameterLayout.Entry entry = layout.entry(name);
    RandomGenerator random = ParameterDraws.of(seed, name);
    for (long i = entry.offset(); i < entry.offset() + entry.count(); i++) {
      weights.setAtIndex(FLOAT, i, (float) (deviation * random.nextGaussian()));
    }
  }

  /// Sets all elements to one value.
  ///
  /// @param name of a parameter
  /// @param value of all elements
  public void constant(String name, float value) {
    if (!layout.has(name)) {
      return;
    }
    ParameterLayout.Entry entry = layout.entry(name);
    for (long i = entry.offset(); i < entry.offset() + entry.count(); i++) {
      weights.setAtIndex(FLOAT, i, value);
    }
  }
}
