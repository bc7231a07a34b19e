package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
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

  /// Copies the parameters into a state, what survives of them alone.
  ///
  /// @param model whose weights are written; to be refreshed
  default void fill(ModelState model) {
    for (ParameterLayout.Entry entry : model.layout().entries()) {
      int count = Math.toIntExact(entry.count());
      if (model.kept().entry(entry.name()).count() == count) {
        read(entry, model.kept().entry(entry.name()).of(model.weights()));
        continue;
      }
      try (Arena local = Arena.ofShared()) {
        MemorySegment all = local.allocate(entry.count() * Float.BYTES, DenseMatrix.ALIGNMENT);
        read(entry, all);
        model.compress(entry.name(), 0, count, all, model.weights());
      }
    }
  }
}
