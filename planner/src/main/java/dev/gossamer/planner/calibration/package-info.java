/// Measures the rates of a machine and its network ([Calibration]): of the project's own kernels on
/// generated data, and of messages between ranks. May use everything below the planner, and the
/// planner's records.
@NullMarked
package dev.gossamer.planner.calibration;

import org.jspecify.annotations.NullMarked;
