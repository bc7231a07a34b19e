package dev.gossamer.gnn.objective;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.DenseMatrix;

/// What the outputs of a network stand for, and the loss that training minimises. A trainer knows
/// the objective only by this interface.
public sealed interface Objective permits ClassObjective, TargetObjective {
  /// Turns outputs into predictions, in place.
  ///
  /// @param outputs of the network, one row for each vertex
  /// @param w threads that share the work
  void predict(DenseMatrix outputs, Workers w);

  /// {@return what is true of some vertices, which are the rows of outputs}
  ///
  /// @param data with what is true of all; borrowed
  /// @param vertices by the data set's numbers
  Truth truth(GraphData data, int... vertices);
}
