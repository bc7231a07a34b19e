package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.attention.EdgeRows;
import dev.gossamer.matrix.format.RowIds;
import org.jspecify.annotations.Nullable;

/// The edges of a layer's graph, for layers whose weights depend on both ends of an edge.
/// Implementations cover a whole graph, a graph distributed over ranks, and a sampled block; layers
/// do not depend on which.
///
/// The rows of sources form three groups: the targets; other sources whose rows this rank computes;
/// and sources whose rows other ranks compute, which [#gather] fetches.
public non-sealed interface Neighbourhood extends GraphView {
  /// {@return the edges, `targets x sources`} The first sources are the targets, in the same order.
  EdgePattern edges();

  /// {@return the size of a pass over these edges}
  default PassSize size() {
    return new PassSize(edges().sources(), edges().targets(), edges().count());
  }

  /// {@return the same edges by their sources}
  EdgePattern.Transposed transposed();

  /// {@return the features of the edges; null if the network reads none}
  default @Nullable EdgeRows features() {
    return null;
  }

  /// {@return the ids of the sources in the data set}
  RowIds sources();

  /// Fetches the rows of sources that other ranks compute. Collective if the graph is distributed
  /// over ranks.
  ///
  /// @param z one row per source; rows that this rank computes are input, all others are
  ///   overwritten
  void gather(DenseMatrix z);

  /// Computes the transpose of [#gather]: adds the rows of sources that other ranks compute to the
  /// rows of these ranks, and vice versa. Collective if the graph is distributed over ranks.
  ///
  /// @param gradient one row per source; rows that this rank computes are added to
  void scatterAdd(DenseMatrix gradient);
}
