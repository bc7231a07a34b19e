package dev.gossamer.pruned.prune;

import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterDraws;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/// Prunes at random, the same share of every matrix.
///
/// What becomes of a matrix depends on the seed, its name, its size and its share alone.
final class RandomPruning {
  private RandomPruning() {}

  /// A random choice of survivors.
  ///
  /// @param layout of all parameters
  /// @param sparsity share of all parameters
  /// @param seed of the choice
  /// @return the mask
  /// @throws IllegalArgumentException if so many cannot be pruned
  static Mask mask(ParameterLayout layout, double sparsity, long seed) {
    PruningQuota quota = PruningQuota.of(layout, sparsity);
    Map<String, BitSet> kept = new HashMap<>();
    for (ParameterLayout.Entry matrix : layout.where(Mask::prunable).entries()) {
      int count = Math.toIntExact(matrix.count());
      long survivors = count - quota.removed(matrix.name());
      kept.put(matrix.name(), chosen(ParameterDraws.of(seed, matrix.name()), count, survivors));
    }
    return new Mask(layout, kept);
  }

  /// Every choice of so many is equally likely: each element survives with the probability that is
  /// left (D. Knuth, *The Art of Computer Programming* 2, 3.4.2, algorithm S).
  private static BitSet chosen(RandomGenerator random, int count, long survivors) {
    BitSet bits = new BitSet(count);
    long left = survivors;
    for (int i = 0; i < count; i++) {
      if (random.nextDouble() * (count - i) < (double) left) {
        bits.set(i);
        left--;
      }
    }
    return bits;
  }
}
