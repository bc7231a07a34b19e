package dev.gossamer.planner.calibration;

import dev.gossamer.planner.Work;
import java.util.List;

/// One kernel on operands of one size.
///
/// @param work what it is an example of
/// @param at its sizes
/// @param units of work that it does: what times are divided by
/// @param run does it once
record Kernel(Work work, List<Integer> at, double units, Runnable run) {}
