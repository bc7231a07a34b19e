package dev.gossamer.gnn.objective;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.link.LinkComparison;
import dev.gossamer.matrix.DenseMatrix;

/// Edges are told from pairs without an edge: the score of an edge is a product of the outputs of
/// its vertices ([dev.gossamer.gnn.link.LinkDecoder]), whose logistic function is the probability
/// of the edge, and the loss is the mean binary cross-entropy of the training edges and of the
/// pairs that they are compared with (T. Kipf and M. Welling, *Variational graph auto-encoders*,
/// 2016).
///
/// @param comparison the edges, and the pairs that they are compared with
public record LinkObjective(LinkComparison comparison) implements Objective {
  /// Leaves the outputs as they are: they are compared with each other.
  @Override
  public void predict(DenseMatrix outputs, Workers w) {}
}
