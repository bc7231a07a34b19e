package dev.gossamer.planner.calibration;

/// How often everything is measured.
///
/// @param rounds over all kernels; the lower quartile counts
/// @param nanos that a kernel runs in a round at least
/// @param warmUpNanos without progress after which kernels are taken for compiled
record Repetition(int rounds, long nanos, long warmUpNanos) {
  static Repetition of(Effort effort) {
    return switch (effort) {
      case QUICK -> new Repetition(5, 500_000, 250_000_000);
      case FULL -> new Repetition(5, 3_000_000, 1_000_000_000);
    };
  }
}
