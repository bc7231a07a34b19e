package dev.gossamer.matrix.attention;

import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.random.Philox;
import jdk.incubator.vector.LongVector;

/// Inverted dropout of attention coefficients: each head's coefficient of an edge is set to zero
/// with probability `rate`, otherwise multiplied by `1 / (1 - rate)`.
///
/// Whether it is kept depends only on seed, stream, step, head, and the data set's ids of the
/// edge's target and source, not on storage, threads or ranks. A coefficient has 16 bits of a
/// [Philox] draw, so the probability is `rate` rounded to a multiple of `2^-16`. The draw of an
/// edge has the counter `source 2^32 + target` and serves eight heads, 16 bits each from the lowest
/// on; the next eight use another stream.
///
/// @param seed of the run
/// @param stream number of the layer's dropout, less than `2^16`
/// @param rate probability of zero, `0 <= rate < 1`
/// @param step epoch or batch
public record EdgeDropout(long seed, int stream, float rate, long step) {
  /// Heads that share a draw.
  private static final int GROUP = 8;

  private static final int BITS = 16;

  /// Checks the rate and the stream.
  ///
  /// @throws IllegalArgumentException if the rate is not in `[0, 1)`, or the stream is too large
  public EdgeDropout {
    if (!(rate >= 0 && rate < 1) || stream < 0 || stream >= 1 << BITS) {
      throw new IllegalArgumentException(
          "attention dropout: expected a rate of at least 0 and less than 1 and a stream below 2^16,"
              + " found %s and %d".formatted(rate, stream));
    }
  }

  /// {@return the factor of kept coefficients: `1 / (1 - rate)`}
  public float scale() {
    return Dropout.scale(rate);
  }

  /// {@return whether a head's coefficient is kept; the definition of dropout}
  ///
  /// @param target vertex that the edge goes to
  /// @param source vertex that it comes from
  /// @param head `0..K-1`
  public boolean keeps(int target, int source, int head) {
    Philox philox = generator(head / GROUP);
    int h = head % GROUP;
    long pair =
        h < GROUP / 2 ? philox.low(target, source, 0, 0) : philox.high(target, source, 0, 0);
    return ((int) (pair >>> (h % (GROUP / 2) * BITS)) & 0xFFFF) >= threshold();
  }

  /// The generators of all heads, for [#mark].
  Philox[] generators(int heads) {
    Philox[] generators = new Philox[Math.ceilDiv(heads, GROUP)];
    for (int group = 0; group < generators.length; group++) {
      generators[group] = generator(group);
    }
    return generators;
  }

  private Philox generator(int group) {
    return Philox.keyed(seed, stream + (group << BITS), step);
  }

  /// Draws below it are dropped.
  private int threshold() {
    return Dropout.threshold(rate);
  }

  /// Negates the coefficients of a target that are dropped.
  ///
  /// @param target the data set's id
  /// @param sources those of the edges
  /// @param ids the data set's ids of the sources
  /// @param alpha coefficients, those of edge `k` from `k stride` on
  /// @param words scratch of `4 Philox.SPECIES.length()` elements
  void mark(
      Philox[] generators,
      int heads,
      long target,
      int[] sources,
      RowIds ids,
      int count,
      float[] alpha,
      int stride,
      long[] words) {
    int lanes = Philox.SPECIES.length();
    int threshold = threshold();
    for (int k = 0; k < count; k += lanes) {
      int edges = Math.min(lanes, count - k);
      for (int i = 0; i < edges; i++) {
        words[i] = ids.id(sources[k + i]) << Integer.SIZE | target;
      }
      LongVector counters = LongVector.fromArray(Philox.SPECIES, words, 0);
      for (int group = 0; group < generators.length; group++) {
        generators[group].draw(counters, words, 2 * lanes, lanes);
        int first = group * GROUP;
        int end = Math.min(heads, first + GROUP);
        for (int i = 0; i < edges; i++) {
          int row = (k + i) * stride;
          for (int h = first; h < end; h++) {
            long word = words[2 * lanes + i + (h - first < GROUP / 2 ? 0 : lanes)];
            int draw = (int) (word >>> (h % (GROUP / 2) * BITS)) & 0xFFFF;
            // The sign bit flips where the difference is negative: a branch would be taken at
            // random.
            int bits = Float.floatToRawIntBits(alpha[row + h]);
            alpha[row + h] = Float.intBitsToFloat(bits ^ (draw - threshold & Integer.MIN_VALUE));
          }
        }
      }
    }
  }
}
