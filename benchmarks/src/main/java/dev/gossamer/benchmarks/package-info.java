/// Measurements: JMH benchmarks of kernels, and comparisons of kernels with native yardsticks on
/// the same memory in the same run.
///
/// Started by `benchmarks/run <name>`; never published.
@NullMarked
package dev.gossamer.benchmarks;

import org.jspecify.annotations.NullMarked;
