package dev.gossamer.graph;

/// What is predicted of each vertex.
public enum Task {
  /// One of some classes.
  CLASSIFICATION,
  /// Any number of some labels.
  MULTI_LABEL,
  /// Some numbers.
  REGRESSION;

  /// {@return whether a value may be one of several labels, 0 or 1, or a number to predict, which
  /// is finite; NaN, which is not known, may be either}
  ///
  /// @param value of a vertex
  public boolean admits(float value) {
    boolean fits = this == REGRESSION ? Float.isFinite(value) : value == 0 || value == 1;
    return fits || Float.isNaN(value);
  }
}
