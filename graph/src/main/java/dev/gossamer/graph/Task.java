package dev.gossamer.graph;

/// What is predicted: something of each vertex, or edges.
public enum Task {
  /// One of some classes.
  CLASSIFICATION,
  /// Any number of some labels.
  MULTI_LABEL,
  /// Some numbers.
  REGRESSION,
  /// Whether two vertices are connected.
  LINKS;

  /// {@return whether predictions are numbers on any scale, not probabilities: those that are asked
  /// for, or vectors by which vertices are compared}
  public boolean predictsNumbers() {
    return this == REGRESSION || this == LINKS;
  }

  /// {@return whether a value may be one of several labels, 0 or 1, or a number to predict, which
  /// is finite; NaN, which is not known, may be either}
  ///
  /// @param value of a vertex
  public boolean admits(float value) {
    boolean fits = this == REGRESSION ? Float.isFinite(value) : value == 0 || value == 1;
    return fits || Float.isNaN(value);
  }
}
