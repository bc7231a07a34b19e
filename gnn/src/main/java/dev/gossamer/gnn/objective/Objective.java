package dev.gossamer.gnn.objective;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;

/// What the outputs of a network stand for, and the loss that training minimises.
public sealed interface Objective permits VertexObjective, LinkObjective {
  /// Turns outputs into predictions, in place.
  ///
  /// @param outputs of the network, one row for each vertex
  /// @param w threads that share the work
  void predict(DenseMatrix outputs, Workers w);
}
