package dev.gossamer.pruned.corpus;

/// Listener that is notified of the progress of reading a corpus. Called on the thread that opens
/// it.
@FunctionalInterface
public interface ReadingProgress {
  /// Ignores all notifications.
  ReadingProgress SILENT = (label, done, total) -> {};

  /// Called when some of the work is done.
  ///
  /// @param label what is being done; another label begins another piece of work
  /// @param done bytes done, ascending under one label
  /// @param total bytes to be done
  void at(String label, long done, long total);
}
