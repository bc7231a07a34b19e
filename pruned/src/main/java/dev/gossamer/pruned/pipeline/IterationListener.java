package dev.gossamer.pruned.pipeline;

import java.util.List;

/// Listener that is notified of the iterations of a rank and may end the run.
@FunctionalInterface
public interface IterationListener {
  /// Called after an iteration, on the rank's thread.
  ///
  /// @param iteration that has ended
  void done(IterationRecord iteration);

  /// Called when the pruned network continues with fewer stages, on the rank's thread.
  ///
  /// @param done number of iterations done
  /// @param stages of the new grid
  default void moved(int done, List<StagePart> stages) {}

  /// {@return whether the run must end, with a checkpoint, after the iteration that begins now}
  /// Called before each iteration; if it is true on one rank, all ranks end.
  default boolean stops() {
    return false;
  }
}
