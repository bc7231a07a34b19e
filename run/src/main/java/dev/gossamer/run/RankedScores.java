package dev.gossamer.run;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Scores of positives and negatives from the highest to the lowest, with the number of both at or
/// above each score: what a threshold there would find. Cost: `O(n log n)`.
public final class RankedScores {
  /// The different scores, descending.
  private final float[] thresholds;

  /// Positives and negatives with at least the score of each threshold.
  private final long[] positives;

  private final long[] negatives;

  private RankedScores(float[] thresholds, long[] positives, long[] negatives) {
    this.thresholds = thresholds;
    this.positives = positives;
    this.negatives = negatives;
  }

  /// Ranks scores.
  ///
  /// @param scores float32 numbers; the higher, the more likely positive
  /// @param positive not 0 where positive is right
  /// @return the ranking
  /// @throws IllegalArgumentException if the numbers of both differ
  public static RankedScores of(double[] scores, double[] positive) {
    int n = scores.length;
    if (positive.length != n) {
      throw new IllegalArgumentException(
          "scores: expected one for each of %d, found %d".formatted(positive.length, n));
    }
    long[] keys = new long[n];
    for (int i = 0; i < n; i++) {
      keys[i] = key((float) scores[i], positive[i] != 0);
    }
    Arrays.sort(keys);
    float[] thresholds = new float[n];
    long[] above = new long[n];
    long[] below = new long[n];
    int distinct = 0;
    long p = 0;
    long q = 0;
    for (int i = n - 1; i >= 0; i--) {
      p += keys[i] & 1;
      q += 1 - (keys[i] & 1);
      if (i == 0 || keys[i - 1] >> 1 != keys[i] >> 1) {
        thresholds[distinct] = score(keys[i]);
        above[distinct] = p;
        below[distinct++] = q;
      }
    }
    return new RankedScores(
        Arrays.copyOf(thresholds, distinct),
        Arrays.copyOf(above, distinct),
        Arrays.copyOf(below, distinct));
  }

  /// A number that sorts by the score, whose lowest bit says what is right.
  private static long key(float score, boolean positive) {
    // Adding 0 makes both zeros one.
    int bits = Float.floatToIntBits(score + 0f);
    long ordered = bits >= 0 ? bits : Integer.MIN_VALUE - bits;
    return ordered << 1 | (positive ? 1 : 0);
  }

  private static float score(long key) {
    int ordered = (int) (key >> 1);
    return Float.intBitsToFloat(ordered >= 0 ? ordered : Integer.MIN_VALUE - ordered);
  }

  private long positives() {
    return thresholds.length == 0 ? 0 : positives[thresholds.length - 1];
  }

  private long negatives() {
    return thresholds.length == 0 ? 0 : negatives[thresholds.length - 1];
  }

  /// {@return the area under the receiver operating characteristic: the probability that a positive
  /// has a higher score than a negative, with ties counted half (J. A. Hanley and B. J. McNeil,
  /// 1982); empty if there are no positives or no negatives}
  public OptionalDouble rocArea() {
    double pairs = 0;
    for (int t = 0; t < thresholds.length; t++) {
      long before = t == 0 ? 0 : positives[t - 1];
      long tied = negatives[t] - (t == 0 ? 0 : negatives[t - 1]);
      pairs += tied * (before + positives[t]) / 2.0;
    }
    return positives() == 0 || negatives() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(pairs / ((double) positives() * negatives()));
  }

  /// {@return the average precision, `sum over thresholds of (R_t - R_(t-1)) P_t` with precision
  /// `P` and recall `R`: the area under the precision-recall curve without interpolation; empty if
  /// there are no positives}
  public OptionalDouble averagePrecision() {
    double sum = 0;
    for (int t = 0; t < thresholds.length; t++) {
      sum += (positives[t] - (t == 0 ? 0 : positives[t - 1])) * precision(t);
    }
    return positives() == 0 ? OptionalDouble.empty() : OptionalDouble.of(sum / positives());
  }

  /// What a threshold finds.
  ///
  /// @param threshold scores of at least this are predicted positive; halfway between the lowest of
  ///   them and the next lower score
  /// @param precision share of the predictions that are right
  /// @param recall share of the positives that are predicted
  public record Point(double threshold, double precision, double recall) {
    /// {@return `2 precision recall / (precision + recall)`; 0 if both are}
    public double f1() {
      return precision + recall == 0 ? 0 : 2 * precision * recall / (precision + recall);
    }
  }

  /// Scores are probabilities: below the lowest is 0.
  private Point point(int t) {
    double lower = t + 1 < thresholds.length ? thresholds[t + 1] : 0;
    return new Point(
        (thresholds[t] + lower) / 2, precision(t), (double) positives[t] / positives());
  }

  private Stream<Point> points() {
    return IntStream.range(0, positives() == 0 ? 0 : thresholds.length).mapToObj(this::point);
  }

  /// {@return the threshold of probabilities with the highest F1, the highest of equal ones; empty
  /// without positives}
  public Optional<Point> bestF1() {
    return points().reduce((best, each) -> each.f1() > best.f1() ? each : best);
  }

  /// {@return the threshold of probabilities with the highest recall among those with a precision,
  /// the highest of equal ones; empty if there is none}
  ///
  /// @param least precision that is wanted, above 0
  public Optional<Point> atPrecision(double least) {
    return points()
        .filter(each -> each.precision() >= least)
        .reduce((best, each) -> each.recall() > best.recall() ? each : best);
  }

  /// {@return the highest precision of any threshold; empty without positives}
  public OptionalDouble highestPrecision() {
    return points().mapToDouble(Point::precision).max();
  }

  private double precision(int t) {
    return (double) positives[t] / (positives[t] + negatives[t]);
  }
}
