package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.format.RowIds;

/// The edges that a layer sees, for layers whose weights depend on both ends of an edge. Behind it
/// is a whole graph, a graph spread over ranks, or one sampled block; a layer does not know which.
///
/// Rows that belong to sources are in three groups: the targets; what else the layer computes rows
/// of; and sources whose rows others compute, which [#gather] brings.
public non-sealed interface Neighbourhood extends GraphView {
  /// {@return the edges, `targets x sources`} The first sources are the targets, in the same order.
  EdgePattern edges();

  /// {@return the same edges by their sources}
  EdgePattern.Transposed transposed();

  /// {@return what the data set calls the sources}
  RowIds sources();

  /// Brings the rows of sources that others compute. Collective if the graph is spread over ranks.
  ///
  /// @param z one row a source, those that this rank computes filled in; the others are overwritten
  void gather(DenseMatrix z);

  /// The transpose of [#gather]: adds the rows of sources that others compute to their rows, and
  /// theirs to those here. Collective if the graph is spread over ranks.
  ///
  /// @param gradient one row a source; those that this rank computes are added to
  void scatterAdd(DenseMatrix gradient);
}
