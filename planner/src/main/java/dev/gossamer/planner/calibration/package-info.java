/// Measures what a machine and its network do a second ([Calibration]): the project's own kernels
/// on generated data, and messages between ranks. May use everything below the planner, and the
/// planner's records.
@NullMarked
package dev.gossamer.planner.calibration;

import org.jspecify.annotations.NullMarked;
