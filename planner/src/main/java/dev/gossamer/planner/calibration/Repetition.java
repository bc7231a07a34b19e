package dev.gossamer.planner.calibration;

/// How often each kernel is measured.
///
/// @param rounds over all kernels of a kind; the lower quartile counts
/// @param nanos minimum time of a kernel per round
/// @param warmUpNanos without progress after which kernels of a kind count as compiled
record Repetition(int rounds, long nanos, long warmUpNanos) {
  /// With a single core the compiler takes turns with what it compiles.
  private static final int ALONE = 4;

  static Repetition of(Effort effort) {
    int times = Runtime.getRuntime().availableProcessors() == 1 ? ALONE : 1;
    return switch (effort) {
      case QUICK -> new Repetition(5, 500_000, times * 60_000_000L);
      case FULL -> new Repetition(5, 3_000_000, times * 400_000_000L);
    };
  }
}
