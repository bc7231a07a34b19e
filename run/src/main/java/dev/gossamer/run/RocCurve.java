package dev.gossamer.run;

import java.util.Arrays;
import java.util.Comparator;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/// The receiver operating characteristic of scores of two classes.
public final class RocCurve {
  private RocCurve() {}

  /// Computes the area under the curve: the probability that a positive has a higher score than a
  /// negative, with ties counted half (J. A. Hanley and B. J. McNeil, 1982): `(R - p (p + 1) / 2) /
  /// (p q)`, where `R` is the sum of the positives' ranks among all scores. Cost: `O(n log n)`.
  ///
  /// @param scores of the positive class
  /// @param positive not 0 where the positive class is right
  /// @return nothing if there are no positives or no negatives
  public static OptionalDouble area(double[] scores, double[] positive) {
    Integer[] order = IntStream.range(0, scores.length).boxed().toArray(Integer[]::new);
    Arrays.sort(order, Comparator.comparingDouble(i -> scores[i]));
    double rankSum = 0;
    long p = 0;
    for (int begin = 0, end; begin < order.length; begin = end) {
      end = begin;
      long positives = 0;
      while (end < order.length && scores[order[end]] == scores[order[begin]]) {
        positives += positive[order[end++]] != 0 ? 1 : 0;
      }
      // Equal scores share the mean of the ranks begin + 1 .. end.
      rankSum += positives * (begin + 1.0 + end) / 2;
      p += positives;
    }
    long q = scores.length - p;
    return p == 0 || q == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of((rankSum - p * (p + 1.0) / 2) / ((double) p * q));
  }
}
