package dev.gossamer.matrix.random;

import java.util.random.RandomGenerator;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// Philox4x32-10, a stateless random number generator: a fixed bijection from a 128-bit counter,
/// under a 64-bit key, to 128 random bits. The key and the counter determine the draw.
///
/// J. Salmon, M. Moraes, R. Dror and D. Shaw, *Parallel random numbers: as easy as 1, 2, 3*, SC
/// 2011, with its constants and ten rounds; the scalar and the vector form give bit-identical
/// results.
///
/// Instances are immutable and safe to share.
public final class Philox {
  /// The number of counters that [#draw] processes at a time.
  public static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;

  private static final long MULTIPLIER_0 = 0xD2511F53L;
  private static final long MULTIPLIER_1 = 0xCD9E8D57L;
  private static final int WEYL_0 = 0x9E3779B9;
  private static final int WEYL_1 = 0xBB67AE85;
  private static final int ROUNDS = 10;
  private static final long LOW = 0xFFFFFFFFL;

  private final int key0;
  private final int key1;

  /// Creates the generator of a key.
  ///
  /// @param key0 first word of the key
  /// @param key1 second word of the key
  public Philox(int key0, int key1) {
    this.key0 = key0;
    this.key1 = key1;
  }

  /// {@return the generator of one purpose: its key is a draw under `seed` at the counter `(step,
  /// stream)`, so that streams and steps do not overlap}
  ///
  /// @param seed of the run
  /// @param stream number of the consumer of random numbers, such as a layer or a sampler
  /// @param step epoch or batch
  public static Philox keyed(long seed, int stream, long step) {
    Philox root = new Philox((int) seed, (int) (seed >>> 32));
    long key = root.low((int) step, (int) (step >>> 32), stream, 0);
    return new Philox((int) key, (int) (key >>> 32));
  }

  /// {@return the first two words of the draw, the first in the low half}
  ///
  /// @param c0 first word of the counter
  /// @param c1 second word
  /// @param c2 third word
  /// @param c3 fourth word
  public long low(int c0, int c1, int c2, int c3) {
    return draw(c0, c1, c2, c3, true);
  }

  /// {@return the last two words of the draw, the third in the low half}
  ///
  /// @param c0 first word of the counter
  /// @param c1 second word
  /// @param c2 third word
  /// @param c3 fourth word
  public long high(int c0, int c1, int c2, int c3) {
    return draw(c0, c1, c2, c3, false);
  }

  private long draw(int c0, int c1, int c2, int c3, boolean low) {
    int k0 = key0;
    int k1 = key1;
    for (int round = 0; round < ROUNDS; round++) {
      long p0 = MULTIPLIER_0 * (c0 & LOW);
      long p1 = MULTIPLIER_1 * (c2 & LOW);
      c0 = (int) (p1 >>> 32) ^ c1 ^ k0;
      c1 = (int) p1;
      c2 = (int) (p0 >>> 32) ^ c3 ^ k1;
      c3 = (int) p0;
      k0 += WEYL_0;
      k1 += WEYL_1;
    }
    return low ? pair(c0, c1) : pair(c2, c3);
  }

  private static long pair(int first, int second) {
    return (first & LOW) | ((long) second << 32);
  }

  /// Shuffles an array in place (Fisher and Yates).
  ///
  /// @param values shuffled
  public void shuffle(int[] values) {
    for (int i = values.length - 1; i > 0; i--) {
      int j = below(i + 1, i, 0);
      int swapped = values[i];
      values[i] = values[j];
      values[j] = swapped;
    }
  }

  /// {@return a random permutation of `0..count-1`, a different one for each number}
  ///
  /// @param count length of the permutation
  /// @param number of the permutation
  public int[] order(int count, int number) {
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      int j = below(i + 1, i, number);
      order[i] = order[j];
      order[j] = i;
    }
    return order;
  }

  /// {@return the draw at a counter as a number in `0..bound-1`, uniform up to `2^-64`}
  ///
  /// @param bound at least 1
  /// @param c0 first word of the counter
  /// @param c1 second word
  public int below(int bound, int c0, int c1) {
    return (int) Math.unsignedMultiplyHigh(low(c0, c1, 0, 0), bound);
  }

  /// {@return the draws at the 64-bit counters 0, 1, 2, ... as a sequence, two longs each; not
  /// thread-safe}
  public RandomGenerator sequence() {
    return new Sequence(this);
  }

  private static final class Sequence implements RandomGenerator {
    private final Philox philox;
    private long counter;
    private boolean high;

    Sequence(Philox philox) {
      this.philox = philox;
    }

    @Override
    public long nextLong() {
      int c0 = (int) counter;
      int c1 = (int) (counter >>> 32);
      long drawn = high ? philox.high(c0, c1, 0, 0) : philox.low(c0, c1, 0, 0);
      counter += high ? 1 : 0;
      high = !high;
      return drawn;
    }
  }

  /// Computes the draws at the 64-bit counters of all lanes (the other two counter words are 0).
  ///
  /// @param counters one counter in each lane
  /// @param to receives two longs per lane, as returned by the scalar methods: `low` of lane `l` at
  ///   `at + l`, `high` at `at + distance + l`
  /// @param at first index of `to` that is written
  /// @param distance between the two longs of a lane
  public void draw(LongVector counters, long[] to, int at, int distance) {
    LongVector c0 = counters.and(LOW);
    LongVector c1 = counters.lanewise(VectorOperators.LSHR, 32);
    LongVector c2 = LongVector.zero(SPECIES);
    LongVector c3 = c2;
    int k0 = key0;
    int k1 = key1;
    for (int round = 0; round < ROUNDS; round++) {
      LongVector p0 = c0.mul(MULTIPLIER_0);
      LongVector p1 = c2.mul(MULTIPLIER_1);
      c0 = p1.lanewise(VectorOperators.LSHR, 32).lanewise(VectorOperators.XOR, c1);
      c0 = c0.lanewise(VectorOperators.XOR, k0 & LOW);
      c1 = p1.and(LOW);
      c2 = p0.lanewise(VectorOperators.LSHR, 32).lanewise(VectorOperators.XOR, c3);
      c2 = c2.lanewise(VectorOperators.XOR, k1 & LOW);
      c3 = p0.and(LOW);
      k0 += WEYL_0;
      k1 += WEYL_1;
    }
    c0.or(c1.lanewise(VectorOperators.LSHL, 32)).intoArray(to, at);
    c2.or(c3.lanewise(VectorOperators.LSHL, 32)).intoArray(to, at + distance);
  }
}
