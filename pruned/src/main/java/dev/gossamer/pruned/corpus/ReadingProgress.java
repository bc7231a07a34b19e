package dev.gossamer.pruned.corpus;

/// Listener that is notified of the progress of reading a corpus. Called on the thread that opens
/// it.
@FunctionalInterface
public interface ReadingProgress {
  /// Ignores all notifications.
  ReadingProgress SILENT = (label, done, total) -> {};

  /// Called on progress.
  ///
  /// @param label name of the current step
  /// @param done bytes done in this step, ascending
  /// @param total bytes of this step
  void at(String label, long done, long total);
}
