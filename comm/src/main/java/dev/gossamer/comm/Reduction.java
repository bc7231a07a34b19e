package dev.gossamer.comm;

/// How elements of several ranks become one.
public enum Reduction {
  /// The sum; of longs modulo 2^64.
  SUM,
  /// The largest. The result is not specified if an element is NaN.
  MAX
}
