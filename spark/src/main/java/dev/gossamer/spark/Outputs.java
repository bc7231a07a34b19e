package dev.gossamer.spark;

/// What a network predicts.
enum Outputs {
  /// The class of each vertex.
  CLASSES,
  /// A number of each vertex.
  NUMBERS,
  /// A vector of each vertex.
  VECTORS,
  /// Whether pairs of vertices have an edge.
  EDGES;

  /// {@return whether edges are held out to learn from}
  boolean areLearnedFromEdges() {
    return this == VECTORS || this == EDGES;
  }

  /// {@return whether there is a column of predictions}
  boolean arePredicted() {
    return this != VECTORS;
  }

  /// {@return whether there is a column of probabilities}
  boolean haveProbabilities() {
    return this == CLASSES || this == EDGES;
  }

  /// {@return whether vertices have a column of vectors}
  boolean haveVectors() {
    return this != EDGES;
  }
}
