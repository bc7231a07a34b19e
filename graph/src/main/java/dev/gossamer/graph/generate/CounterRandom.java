package dev.gossamer.graph.generate;

import org.apache.commons.rng.UniformRandomProvider;

/// Random numbers by position: the draw for an edge or a vertex depends only on the seed, the
/// purpose and the number of that edge or vertex, not on earlier draws. So a stream of edges can be
/// replayed without being stored, and rows of features can be drawn in any order.
///
/// SplitMix64 (Steele, Lea, Flood 2014) with the finaliser of MurmurHash3 as improved by Stafford
/// ("Mix13"), restarted at each position. Not thread-safe: each thread creates its own.
final class CounterRandom implements UniformRandomProvider {
  /// Keeps the draws for different things apart.
  enum Purpose {
    ARCS,
    MORE_ARCS,
    PERMUTATION,
    CLASSES,
    CLASS_MEANS,
    FEATURES
  }

  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final long key;
  private long state;

  CounterRandom(long seed, Purpose purpose) {
    key = mix(mix(seed) + GOLDEN * purpose.name().hashCode());
    state = key;
  }

  /// Moves to the first draw of a position.
  CounterRandom at(long position) {
    state = mix(key + GOLDEN * position);
    return this;
  }

  @Override
  public long nextLong() {
    state += GOLDEN;
    return mix(state);
  }

  private static long mix(long z) {
    long x = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
    return x ^ x >>> 31;
  }
}
