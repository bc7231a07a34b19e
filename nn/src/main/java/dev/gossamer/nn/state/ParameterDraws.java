package dev.gossamer.nn.state;

import dev.gossamer.matrix.random.Philox;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/// The random numbers of a parameter's initial values. They depend only on the seed and the
/// parameter's name: they are the same in a pipeline stage and in the whole network, and an added
/// layer does not change others.
public final class ParameterDraws {
  private static final int STREAM = 0x50415241;
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private ParameterDraws() {}

  /// {@return the draws of one parameter, from the first; not thread-safe}
  ///
  /// @param seed of the run
  /// @param name of the parameter
  public static RandomGenerator of(long seed, String name) {
    return Philox.keyed(seed, STREAM, hash(name)).sequence();
  }

  /// FNV-1a in 64 bits: among ten thousand names two are alike with a probability of 3e-12.
  private static long hash(String name) {
    long hash = FNV_OFFSET;
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ Byte.toUnsignedInt(b)) * FNV_PRIME;
    }
    return hash;
  }
}
