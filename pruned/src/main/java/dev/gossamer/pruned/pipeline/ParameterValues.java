package dev.gossamer.pruned.pipeline;

import dev.gossamer.nn.ParameterLayout;
import java.lang.foreign.MemorySegment;

/// Where parameters and statistics come from, one at a time, so that never more than one of them is
/// in memory besides what is kept.
@FunctionalInterface
public interface ParameterValues {
  /// All zeros: what is about to be read from elsewhere.
  ParameterValues ZERO = (entry, to) -> {};

  /// Writes the values of a parameter or statistic.
  ///
  /// @param entry name and shape
  /// @param to `float32[entry.count()]`; where nothing is written what is there remains: zeros for
  ///   a parameter, what layers begin with for a statistic
  void read(ParameterLayout.Entry entry, MemorySegment to);
}
