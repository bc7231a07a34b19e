package dev.gossamer.comm;

/// The operation that combines elements of several ranks.
public enum Reduction {
  /// The sum; of longs modulo 2^64.
  SUM,
  /// The maximum. The result is not specified if an element is NaN.
  MAX
}
