package dev.gossamer.run;

import java.util.Arrays;

/// Scores of pairs without an edge among which all edges are ranked. Bytes: 8 for each pair.
public final class SharedScores {
  private final double[] ascending;

  /// Sorts scores.
  ///
  /// @param scores of the pairs, in any order, at least one; copied
  /// @throws IllegalArgumentException if there is none
  public SharedScores(double... scores) {
    if (scores.length == 0) {
      throw new IllegalArgumentException("scores: expected at least one, found none");
    }
    ascending = scores.clone();
    Arrays.sort(ascending);
  }

  /// {@return the number of pairs with a higher score} Cost: `O(log n)`.
  ///
  /// @param score to compare with
  public int above(double score) {
    return ascending.length - end(score, true);
  }

  /// {@return the number of pairs with a score at least as high} Cost: `O(log n)`.
  ///
  /// @param score to compare with
  public int reaching(double score) {
    return ascending.length - end(score, false);
  }

  /// The number of scores below one, or up to it.
  private int end(double score, boolean inclusive) {
    int low = 0;
    int high = ascending.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      double other = ascending[middle];
      if (other < score || (inclusive && other == score)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// {@return the scores, ascending}. Borrowed.
  double[] ascending() {
    return ascending;
  }
}
