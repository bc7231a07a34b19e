package dev.gossamer.pruned.corpus;

/// Hears how far reading a corpus has come. Called from the thread that opens it.
@FunctionalInterface
public interface ReadingProgress {
  /// Listens to nobody.
  ReadingProgress SILENT = (label, done, total) -> {};

  /// Some of the work is done.
  ///
  /// @param label what is being done; another label begins another piece of work
  /// @param done bytes done, ascending under one label
  /// @param total bytes to be done
  void at(String label, long done, long total);
}
