package dev.gossamer.planner.calibration;

/// How often everything is measured.
///
/// @param rounds over all kernels of a kind; the lower quartile counts
/// @param nanos that a kernel runs in a round at least
/// @param warmUpNanos without progress after which kernels of a kind are taken for compiled
record Repetition(int rounds, long nanos, long warmUpNanos) {
  static Repetition of(Effort effort) {
    return switch (effort) {
      case QUICK -> new Repetition(5, 500_000, 60_000_000);
      case FULL -> new Repetition(5, 3_000_000, 400_000_000);
    };
  }
}
