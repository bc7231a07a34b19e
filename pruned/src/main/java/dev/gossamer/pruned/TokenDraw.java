package dev.gossamer.pruned;

import dev.gossamer.matrix.DenseMatrix;
import java.util.Arrays;

/// Draws the next token. Tokens are sorted by probability, ties by number, and the first `topK` are
/// considered; of these, the smallest set whose probabilities sum up to `topP` (A. Holtzman and
/// others, *The curious case of neural text degeneration*, ICLR 2020); one is drawn by
/// `softmax(logits / temperature)`.
///
/// @param temperature 0 takes the likeliest
/// @param topK 0 for all
/// @param topP total probability, more than 0; 1 for all
record TokenDraw(double temperature, int topK, double topP) {
  /// Up to this number, the likeliest tokens are found by insertion: nearly every token is skipped
  /// after one comparison.
  private static final int FEW = 1024;

  /// Draws a token.
  ///
  /// @param logits `1 x vocabulary`
  /// @param uniform in `[0, 1)`
  int from(DenseMatrix logits, double uniform) {
    int all = logits.cols();
    int most = temperature == 0 ? 1 : topK == 0 ? all : Math.min(topK, all);
    int[] tokens = likeliest(logits, most);
    double highest = logits.get(0, tokens[0]);
    double[] sums = new double[most];
    double sum = 0;
    for (int i = 0; i < most; i++) {
      sum += most == 1 ? 1 : Math.exp((logits.get(0, tokens[i]) - highest) / temperature);
      sums[i] = sum;
    }
    int last = first(sums, most - 1, topP * sum);
    double wanted = uniform * (last == most - 1 ? sum : sums[last]);
    int place = 0;
    while (place < last && sums[place] <= wanted) {
      place++;
    }
    return tokens[place];
  }

  /// The first place whose sum is enough, or the last one.
  private static int first(double[] sums, int last, double enough) {
    int place = 0;
    while (place < last && sums[place] < enough) {
      place++;
    }
    return place;
  }

  private static int[] likeliest(DenseMatrix logits, int most) {
    long[] keys = most > FEW ? sorted(logits) : inserted(logits, most);
    int[] tokens = new int[most];
    for (int i = 0; i < most; i++) {
      tokens[i] = (int) keys[i];
    }
    return tokens;
  }

  private static long[] sorted(DenseMatrix logits) {
    long[] keys = new long[logits.cols()];
    Arrays.setAll(keys, token -> key(logits, token));
    Arrays.sort(keys);
    return keys;
  }

  private static long[] inserted(DenseMatrix logits, int most) {
    long[] keys = new long[most];
    int found = 0;
    for (int token = 0; token < logits.cols(); token++) {
      long key = key(logits, token);
      if (found < most || key < keys[most - 1]) {
        int place = -1 - Arrays.binarySearch(keys, 0, found, key);
        found = Math.min(most, found + 1);
        System.arraycopy(keys, place, keys, place + 1, found - 1 - place);
        keys[place] = key;
      }
    }
    return keys;
  }

  /// A number that is the smaller the likelier a token is, and for equally likely ones the smaller
  /// the smaller its own number, which its lower half is.
  private static long key(DenseMatrix logits, int token) {
    int bits = Float.floatToIntBits(logits.get(0, token));
    int ascending = bits < 0 ? bits ^ Integer.MAX_VALUE : bits;
    return (long) ~ascending << Integer.SIZE | token;
  }
}
