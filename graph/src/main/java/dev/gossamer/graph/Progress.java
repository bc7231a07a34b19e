package dev.gossamer.graph;

/// Listener that is notified of the progress of a long operation, for example to display it. It is
/// called often, on the working thread, so an implementation must return quickly.
@FunctionalInterface
public interface Progress {
  /// Ignores all notifications.
  Progress SILENT = (label, done, total) -> {};

  /// Called as the work progresses.
  ///
  /// @param label name of the current step
  /// @param done units done in this step, ascending
  /// @param total units of this step, at least `done`; an estimate that may grow
  void at(String label, long done, long total);
}
