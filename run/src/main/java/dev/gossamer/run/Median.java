package dev.gossamer.run;

import java.util.stream.DoubleStream;

/// The median, which a single slow epoch does not change.
public final class Median {
  private Median() {}

  /// {@return the middle value, or the mean of the two middle values; 0 without values}
  ///
  /// @param values any number of them
  public static double of(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    int n = sorted.length;
    return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  }
}
