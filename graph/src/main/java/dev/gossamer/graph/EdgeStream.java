package dev.gossamer.graph;

/// A stream of the arcs of a graph that can be replayed any number of times, in the same order each
/// time. A graph far larger than the Java heap can be converted to compressed rows: the builder
/// reads the stream twice and stores only the result.
@FunctionalInterface
public interface EdgeStream {
  /// Receives arcs.
  @FunctionalInterface
  interface Sink {
    /// Receives an arc.
    ///
    /// @param source vertex id
    /// @param target vertex id
    /// @param weight 1 in a graph without weights
    void arc(int source, int target, float weight);
  }

  /// Passes every arc to `sink`.
  ///
  /// @param sink receives each arc
  void forEach(Sink sink);
}
