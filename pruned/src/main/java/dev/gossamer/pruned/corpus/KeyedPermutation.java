package dev.gossamer.pruned.corpus;

import dev.gossamer.matrix.random.Philox;

/// A random permutation of `0..n-1` that is computed element by element and not stored.
///
/// A Feistel network: each half of a number's bits is changed in turn by a random function of the
/// other half, which is invertible and so a permutation of `0..2^k-1` (M. Luby and C. Rackoff, *How
/// to construct pseudorandom permutations from pseudorandom functions*, 1988); a result of `n` or
/// more is permuted again until it is less (J. Black and P. Rogaway, *Ciphers with arbitrary finite
/// domains*, 2002), which takes fewer than two rounds on average. The function is [Philox].
///
/// Immutable.
final class KeyedPermutation {
  private static final int ROUNDS = 8;

  private final Philox random;
  private final long size;
  private final int lowBits;
  private final long lowMask;
  private final long highMask;

  /// @param random source of the draws
  /// @param size elements, at least 1
  KeyedPermutation(Philox random, long size) {
    this.random = random;
    this.size = size;
    int bits = Long.SIZE - Long.numberOfLeadingZeros(size - 1);
    lowBits = bits / 2;
    lowMask = (1L << lowBits) - 1;
    highMask = (1L << (bits - lowBits)) - 1;
  }

  /// Returns the image of `i`.
  ///
  /// @param i in `0..size-1`
  long of(long i) {
    long at = i;
    do {
      at = turn(at);
    } while (at >= size);
    return at;
  }

  private long turn(long value) {
    long low = value & lowMask;
    long high = value >>> lowBits;
    for (int round = 0; round < ROUNDS; round += 2) {
      high ^= random.low((int) low, (int) (low >>> 32), round, 0) & highMask;
      low ^= random.low((int) high, (int) (high >>> 32), round + 1, 0) & lowMask;
    }
    return (high << lowBits) | low;
  }
}
