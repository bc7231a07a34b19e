package dev.gossamer.pruned;

import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.pipeline.IterationRecord;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// The listeners and the stop condition of a run.
///
/// @param reading of the data
/// @param plans notified before the run starts, on every process
/// @param iterations notified of the iterations of the first rank
/// @param grids called by the first rank when the run continues on another grid, with the number of
///   iterations and the plan
/// @param stop whether the run must end; evaluated by all ranks
record Watcher(
    ReadingProgress reading,
    Consumer<RunPlan> plans,
    Consumer<IterationRecord> iterations,
    BiConsumer<Integer, RunPlan> grids,
    BooleanSupplier stop) {
  /// No listener.
  static final Watcher NOBODY =
      new Watcher(ReadingProgress.SILENT, _ -> {}, _ -> {}, (_, _) -> {}, () -> false);

  Watcher with(ReadingProgress other) {
    return new Watcher(other, plans, iterations, grids, stop);
  }

  Watcher withPlans(Consumer<RunPlan> other) {
    return new Watcher(reading, other, iterations, grids, stop);
  }

  Watcher withIterations(Consumer<IterationRecord> other) {
    return new Watcher(reading, plans, other, grids, stop);
  }

  Watcher with(BiConsumer<Integer, RunPlan> other) {
    return new Watcher(reading, plans, iterations, other, stop);
  }

  Watcher with(BooleanSupplier other) {
    return new Watcher(reading, plans, iterations, grids, other);
  }
}
