package dev.gossamer.pruned.layers;

import dev.gossamer.nn.ParameterLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;

/// First values of parameters. What a parameter gets depends on the seed and its name alone, not on
/// which other parameters there are: a stage of a pipeline starts as that part of the whole network
/// would, and a parameter by itself as it would among others.
///
/// @param layout of the parameters that get values; what is said of others is skipped
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
    ZigguratSampler.NormalizedGaussian gaussian =
        ZigguratSampler.NormalizedGaussian.of(random(name));
    for (long i = entry.offset(); i < entry.offset() + entry.count(); i++) {
      weights.setAtIndex(FLOAT, i, (float) (deviation * gaussian.sample()));
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

  private UniformRandomProvider random(String name) {
    CRC32 stream = new CRC32();
    stream.update(name.getBytes(StandardCharsets.UTF_8));
    return RandomSource.PHILOX_4X32.create(
        new int[] {(int) seed, (int) (seed >>> 32), (int) stream.getValue(), 0, 0, 0});
  }
}
