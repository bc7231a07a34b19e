package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A source of parameters and statistics, one at a time, so that at most one is in memory in
/// addition to the state.
@FunctionalInterface
public interface ParameterValues {
  /// All zeros, for values that are read later.
  ParameterValues ZERO = (entry, to) -> {};

  /// Writes the values of a parameter or statistic.
  ///
  /// @param entry name and shape
  /// @param to `float32[entry.count()]`; if nothing is written, it keeps its values: zeros for a
  ///   parameter, initial values for a statistic
  void read(ParameterLayout.Entry entry, MemorySegment to);

  /// Copies the surviving parameters into a state.
  ///
  /// @param model whose weights are written; the caller must refresh it
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
