package dev.gossamer.pruned.pipeline;

import java.util.List;

/// Listener that is notified of the iterations of a rank and may end the run.
@FunctionalInterface
public interface IterationListener {
  /// Called after an iteration, on the rank's thread.
  ///
  /// @param iteration that is done
  void done(IterationRecord iteration);

  /// Called when the network has been pruned and continues with fewer stages, on the rank's thread.
  ///
  /// @param done iterations that are
  /// @param stages of the new grid
  default void moved(int done, List<StagePart> stages) {}

  /// {@return whether the run is to end, with a checkpoint, after the iteration that begins now}
  /// Asked before each iteration; if one rank says so, all end.
  default boolean stops() {
    return false;
  }
}
