package dev.gossamer.planner.calibration;

import java.util.List;

/// One kernel on operands of one size.
///
/// @param kind what it is a size of
/// @param at the sizes
/// @param units of work that it does: what times are divided by
/// @param run does it once
record Kernel(Kind kind, List<Integer> at, double units, Runnable run) {
  /// The tables of rates.
  enum Kind {
    START,
    MATMUL,
    SPMM,
    STREAM,
    SAMPLING,
    GATHER
  }

  /// For lines of progress.
  String name() {
    return kind.name().toLowerCase(java.util.Locale.ROOT);
  }
}
