package dev.gossamer.comm;

/// How elements of several ranks become one.
public enum Reduction {
  /// The sum; of longs modulo 2^64.
  SUM,
  /// The largest. Which element wins beside a NaN is not specified.
  MAX
}
