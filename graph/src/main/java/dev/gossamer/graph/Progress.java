package dev.gossamer.graph;

/// Listener that is notified of the progress of a long operation, for example to display it. It is
/// called often, on the working thread, so an implementation must return quickly.
@FunctionalInterface
public interface Progress {
  /// Ignores all notifications.
  Progress SILENT = (label, done, total) -> {};

  /// Called as the work progresses.
  ///
  /// @param label what is being done; another label begins another piece of work
  /// @param done units done, ascending under one label
  /// @param total units to be done, at least `done`; an estimate that may grow
  void at(String label, long done, long total);
}
