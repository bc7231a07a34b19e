package dev.gossamer.graph.format;

import dev.gossamer.graph.EdgeStream;

/// The arcs of a file, which a [DatasetDraft] builds a graph from: parsed once ([ArcBuffer]), or
/// decoded in each pass.
public interface Arcs extends EdgeStream {
  /// {@return the number of arcs}
  long size();

  /// {@return the number of self loops}; known after the first pass
  long loops();

  /// {@return whether arcs have weights}
  boolean weighted();
}
