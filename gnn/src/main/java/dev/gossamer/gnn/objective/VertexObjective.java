package dev.gossamer.gnn.objective;

import dev.gossamer.graph.GraphData;

/// Something of each vertex is predicted, whatever the outputs of other vertices are.
public sealed interface VertexObjective extends Objective permits ClassObjective, TargetObjective {
  /// {@return an objective as one of vertices}
  ///
  /// @param objective of a training that has one
  /// @throws IllegalArgumentException if edges are predicted
  static VertexObjective of(Objective objective) {
    return switch (objective) {
      case VertexObjective vertices -> vertices;
      case LinkObjective links ->
          throw new IllegalArgumentException("objective: expected one of vertices, found " + links);
    };
  }

  /// {@return what is true of some vertices, which are the rows of outputs}
  ///
  /// @param data with what is true of all; borrowed
  /// @param vertices by the data set's numbers
  Truth truth(GraphData data, int... vertices);
}
