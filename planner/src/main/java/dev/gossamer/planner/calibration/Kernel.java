package dev.gossamer.planner.calibration;

import dev.gossamer.planner.Work;
import java.util.List;

/// One kernel on operands of one size.
///
/// @param work its kind
/// @param at its sizes
/// @param units of work per run, by which times are divided
/// @param run runs it once
record Kernel(Work work, List<Integer> at, double units, Runnable run) {}
