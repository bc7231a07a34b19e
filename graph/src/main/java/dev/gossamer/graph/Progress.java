package dev.gossamer.graph;

/// Hears how far a long piece of work has come; a command line renders it. Called often, from the
/// thread that works: an implementation returns quickly.
@FunctionalInterface
public interface Progress {
  /// Listens to nobody.
  Progress SILENT = (label, done, total) -> {};

  /// Hears how far the work has come.
  ///
  /// @param label what is being done; another label begins another piece of work
  /// @param done units done, ascending under one label
  /// @param total units to be done, at least `done`; an estimate that may grow
  void at(String label, long done, long total);
}
