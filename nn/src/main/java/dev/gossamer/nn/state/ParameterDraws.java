package dev.gossamer.nn.state;

import dev.gossamer.matrix.random.Philox;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/// The random numbers that a parameter begins with. They follow from the seed and the parameter's
/// name alone, not from which other parameters there are: a stage of a pipeline starts as that part
/// of the whole network would, and a layer that is added changes no other.
public final class ParameterDraws {
  private static final int STREAM = 0x50415241;
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private ParameterDraws() {}

  /// {@return the draws of one parameter, from the first on; not thread-safe}
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
