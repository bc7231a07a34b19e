package dev.gossamer.planner.calibration;

/// How much is measured.
public enum Effort {
  /// Few sizes, in about two seconds: good for the first plan on a machine.
  QUICK,

  /// All sizes, in under two minutes on two cores.
  FULL
}
