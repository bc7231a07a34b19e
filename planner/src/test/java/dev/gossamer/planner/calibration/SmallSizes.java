package dev.gossamer.planner.calibration;

import java.util.List;

/// CalibrationData on which everything is measured within milliseconds.
final class SmallSizes {
  static final Sizes SIZES =
      new Sizes(
          List.of(16, 32),
          List.of(7),
          1 << 12,
          new Sizes.Sparse(List.of(64, 128), List.of(4, 8), List.of(16), List.of(7, 9)),
          new Sizes.Attention(List.of(64), List.of(8), List.of(1, 2), List.of(16)),
          List.of(8),
          List.of(1 << 10, 1 << 12),
          List.of(64),
          1 << 10);

  private SmallSizes() {}
}
