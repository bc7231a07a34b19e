package dev.gossamer.pruned;

import dev.gossamer.nn.state.WeightHistogram;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.pipeline.IterationRecord;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// The listeners and the stop condition of a run.
///
/// @param reading of the data
/// @param warnings of what the run does otherwise than asked, on the first process
/// @param plans notified before the run starts, on every process
/// @param iterations notified of the iterations of the first rank
/// @param weights notified of how the weights are distributed, on the first rank
/// @param grids called by the first rank when the run continues on another grid, with the number of
///   iterations and the plan
/// @param stop whether the run must end; evaluated by all ranks
record Watcher(
    ReadingProgress reading,
    Consumer<String> warnings,
    Consumer<RunPlan> plans,
    Consumer<IterationRecord> iterations,
    Weights weights,
    BiConsumer<Integer, RunPlan> grids,
    BooleanSupplier stop) {
  /// No listener.
  static final Watcher NOBODY =
      new Watcher(
          ReadingProgress.SILENT,
          _ -> {},
          _ -> {},
          _ -> {},
          new Weights(0, (_, _) -> {}),
          (_, _) -> {},
          () -> false);

  /// Who is notified of weights, and how often.
  ///
  /// @param every number of iterations between two times; 0 for never
  /// @param listener called with the number of the iteration and a histogram of each parameter
  record Weights(int every, BiConsumer<Integer, Map<String, WeightHistogram>> listener) {
    boolean isDueAfter(int iteration) {
      return every > 0 && (iteration == 1 || iteration % every == 0);
    }
  }

  Watcher with(ReadingProgress other) {
    return new Watcher(other, warnings, plans, iterations, weights, grids, stop);
  }

  Watcher withWarnings(Consumer<String> other) {
    return new Watcher(reading, other, plans, iterations, weights, grids, stop);
  }

  Watcher withPlans(Consumer<RunPlan> other) {
    return new Watcher(reading, warnings, other, iterations, weights, grids, stop);
  }

  Watcher withIterations(Consumer<IterationRecord> other) {
    return new Watcher(reading, warnings, plans, other, weights, grids, stop);
  }

  Watcher with(Weights other) {
    return new Watcher(reading, warnings, plans, iterations, other, grids, stop);
  }

  Watcher with(BiConsumer<Integer, RunPlan> other) {
    return new Watcher(reading, warnings, plans, iterations, weights, other, stop);
  }

  Watcher with(BooleanSupplier other) {
    return new Watcher(reading, warnings, plans, iterations, weights, grids, other);
  }
}
