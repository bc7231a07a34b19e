package dev.gossamer.planner.calibration;

import java.util.List;

/// How much is measured.
public enum Effort {
  /// Few sizes, in about two seconds: good for the first plan on a machine.
  QUICK(
      new Sizes(
          List.of(16, 64, 256),
          1 << 22,
          List.of(1 << 11, 1 << 14),
          List.of(16),
          List.of(16, 64, 256),
          List.of(1 << 20, 1 << 25),
          List.of(64, 256, 1024),
          1 << 20),
      new Repetition(5, 500_000)),

  /// All sizes, in under two minutes on two cores.
  FULL(
      new Sizes(
          List.of(16, 64, 256, 1024),
          1 << 26,
          List.of(1 << 11, 1 << 14, 1 << 17),
          List.of(4, 32),
          List.of(16, 32, 64, 128, 256, 512),
          List.of(1 << 20, 1 << 24, 1 << 28),
          List.of(64, 256, 1024, 4096),
          1 << 24),
      new Repetition(5, 3_000_000));

  /// What the kernels work on.
  ///
  /// @param matmulWidths columns of both operands of a dense product
  /// @param matmulBytes of the tall operand and the result of a dense product
  /// @param graphs vertices of the graphs, ascending
  /// @param degrees edges of a vertex
  /// @param spmmWidths columns of the dense operand of a sparse product, ascending
  /// @param passes bytes of elementwise passes, ascending
  /// @param rowBytes of the rows that are gathered, ascending
  /// @param gatheredBytes of all rows that are gathered at a time
  record Sizes(
      List<Integer> matmulWidths,
      int matmulBytes,
      List<Integer> graphs,
      List<Integer> degrees,
      List<Integer> spmmWidths,
      List<Integer> passes,
      List<Integer> rowBytes,
      int gatheredBytes) {
    /// Bytes of the larger of all operands, as of all results.
    long bytes() {
      long widest = 4L * graphs.getLast() * spmmWidths.getLast();
      return Math.max(Math.max(widest, passes.getLast() / 2), Math.max(matmulBytes, gatheredBytes));
    }
  }

  /// How often each kernel runs.
  ///
  /// @param rounds over all kernels; the lower quartile counts
  /// @param nanos that a kernel runs in a round at least
  record Repetition(int rounds, long nanos) {}

  private final Sizes sizes;
  private final Repetition repetition;

  Effort(Sizes sizes, Repetition repetition) {
    this.sizes = sizes;
    this.repetition = repetition;
  }

  Sizes sizes() {
    return sizes;
  }

  Repetition repetition() {
    return repetition;
  }
}
