package dev.gossamer.graph.generate;

import dev.gossamer.graph.generate.CounterRandom.Purpose;
import org.apache.commons.rng.sampling.ArraySampler;

/// A random permutation of vertices, so that ids are independent of the structure.
final class Permutation {
  private Permutation() {}

  /// The new id of each of `n` vertices. Cost: 4 bytes per vertex.
  static int[] of(int n, long seed) {
    int[] ids = new int[n];
    for (int v = 0; v < n; v++) {
      ids[v] = v;
    }
    return ArraySampler.shuffle(new CounterRandom(seed, Purpose.PERMUTATION), ids);
  }
}
