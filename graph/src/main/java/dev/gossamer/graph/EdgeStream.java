package dev.gossamer.graph;

/// A stream of the arcs of a graph that can be replayed any number of times, in the same order each
/// time. A graph far larger than the Java heap gets from a generator or a file into compressed rows
/// this way: the builder reads the stream twice and stores only the result.
@FunctionalInterface
public interface EdgeStream {
  /// Hears one arc.
  @FunctionalInterface
  interface Sink {
    /// Hears an arc.
    ///
    /// @param source vertex id
    /// @param target vertex id
    /// @param weight 1 in a graph without weights
    void arc(int source, int target, float weight);
  }

  /// Passes every arc to `sink`.
  ///
  /// @param sink hears each arc
  void forEach(Sink sink);
}
