package dev.gossamer.graph;

/// What is predicted of each vertex.
public enum Task {
  /// One of some classes.
  CLASSIFICATION,
  /// Any number of some labels.
  MULTI_LABEL,
  /// Some numbers.
  REGRESSION
}
