package dev.gossamer.gnn.sampling.matrices;

import java.util.Arrays;

/// SAMPLE (MBS, section 4.1.2): inverse transform sampling, one number in `[0, mass)` after the
/// other, looked up in the prefix sums. What one thread needs for one row after another.
public final class InverseTransform {
  private long[] taken = {};
  private final WeightedRow rest = new WeightedRow();

  /// Creates one for a thread.
  public InverseTransform() {}

  /// {@return bytes of one}
  ///
  /// @param candidates the largest number of a row
  public static long bytes(int candidates) {
    return candidates / 8 + WeightedRow.filledBytes(candidates);
  }

  /// Draws `s` of `degree` positions uniformly without replacement. The prefix sum of a uniform row
  /// is `k / degree`, so that no prefix sums are needed; Floyd's algorithm draws the set without
  /// rejections (J. Bentley, R. Floyd, *A sample of brilliance*, CACM 30, 1987). Cost: `s` numbers
  /// and at most `s^2 / 2` steps.
  ///
  /// @param degree number of positions
  /// @param s at most `degree`
  /// @param draws at the place of what draws
  /// @param to receives the positions, ascending
  /// @param at from this element on
  public static void uniform(int degree, int s, Draws draws, int[] to, int at) {
    if (s == degree) {
      for (int k = 0; k < s; k++) {
        to[at + k] = k;
      }
      return;
    }
    for (int k = 0; k < s; k++) {
      int last = degree - s + k;
      int position = draws.below(last + 1);
      int place = at + k;
      while (place > at && to[place - 1] > position) {
        place--;
      }
      if (place > at && to[place - 1] == position) {
        to[at + k] = last;
      } else {
        System.arraycopy(to, place, to, place + 1, at + k - place);
        to[place] = position;
      }
    }
  }

  /// Draws `s` distinct candidates of a row one after the other, each in proportion to the
  /// remaining weights, with the inverse of its inclusion probability as its weight.
  ///
  /// The inclusion probability has no closed form. But if numbers arrive at rate 1, candidate `v`
  /// of probability `p_v` is found for the first time after an exponential time of rate `p_v`,
  /// independently of the others, and the first `s` that are found are the sample. Given the time
  /// `T` at which the next distinct candidate is found, `v` is in the sample with probability `pi_v
  /// = 1 - exp(-p_v T)`: the sum of `x_v / pi_v` over the sample has the expectation `sum_v x_v`,
  /// exactly, for any `x` (E. Cohen and H. Kaplan, *Summarizing data using bottom-k sketches*, PODC
  /// 2007). If `s` covers all candidates, all are taken with weight 1. Where `s p_v` is small, `1 /
  /// pi_v` is about the `1 / (s p_v)` of sampling with replacement.
  ///
  /// @param row of candidates
  /// @param s number of candidates
  /// @param draws at the place of what draws
  /// @return the candidates and their weights
  public Drawn distinct(WeightedRow row, int s, Draws draws) {
    int[] chosen;
    double end = Double.POSITIVE_INFINITY;
    if (row.positive() <= s) {
      chosen = row.all();
    } else {
      chosen = new int[s];
      end = fill(chosen, row, draws);
      Arrays.sort(chosen);
    }
    int[] vertices = new int[chosen.length];
    float[] weights = new float[chosen.length];
    for (int k = 0; k < chosen.length; k++) {
      vertices[k] = row.vertex(chosen[k]);
      weights[k] = (float) (-1 / Math.expm1(-row.weight(chosen[k]) * end));
    }
    return new Drawn(new int[] {0, chosen.length}, vertices, weights);
  }

  /// Fills the sample; a candidate that is found again is passed over.
  ///
  /// @return when the next distinct candidate was found, if numbers find `v` at a rate of its
  ///   weight
  private double fill(int[] chosen, WeightedRow row, Draws draws) {
    int words = (row.count() + 63) / 64;
    if (taken.length < words) {
      taken = new long[words];
    }
    WeightedRow left = row;
    boolean whole = true;
    double time = 0;
    double takenMass = 0;
    int size = 0;
    while (true) {
      time += draws.exponential() / left.mass();
      int found = left.find(draws.uniform() * left.mass());
      int candidate = whole ? found : left.vertex(found);
      if ((taken[candidate >>> 6] >>> candidate & 1) != 0) {
        continue;
      }
      if (size == chosen.length) {
        break;
      }
      chosen[size++] = candidate;
      taken[candidate >>> 6] |= 1L << candidate;
      takenMass += row.weight(candidate);
      if (takenMass > left.mass() / 2) {
        // Most numbers would find what is taken already.
        rest.fillWithout(row, taken);
        left = rest;
        whole = false;
        takenMass = 0;
      }
    }
    for (int candidate : chosen) {
      taken[candidate >>> 6] = 0;
    }
    return time;
  }

  /// Draws candidates of a row with replacement.
  ///
  /// @param row of candidates
  /// @param draws how many
  /// @param numbers at the place of what draws
  /// @return the vertices that were drawn, ascending, each once
  public static int[] repeated(WeightedRow row, int draws, Draws numbers) {
    int[] vertices = new int[draws];
    for (int k = 0; k < draws; k++) {
      vertices[k] = row.vertex(row.find(numbers.uniform() * row.mass()));
    }
    return distinct(vertices);
  }

  /// {@return the distinct numbers of an array, ascending}
  ///
  /// @param numbers in any order; not changed
  public static int[] distinct(int[] numbers) {
    int[] sorted = numbers.clone();
    Arrays.sort(sorted);
    int size = 0;
    for (int k = 0; k < sorted.length; k++) {
      if (k == 0 || sorted[k] != sorted[k - 1]) {
        sorted[size++] = sorted[k];
      }
    }
    return Arrays.copyOf(sorted, size);
  }
}
