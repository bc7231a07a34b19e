package dev.gossamer.gnn.fullgraph;

import dev.gossamer.graph.PropagationRows;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.nn.Neighbourhood;
import java.lang.foreign.Arena;

/// The edges of a graph that this process holds whole: every vertex is a target and a source, and
/// no row has to be brought.
final class WholeGraphEdges implements Neighbourhood {
  private final EdgePattern edges;
  private final EdgePattern.Transposed transposed;

  /// @param arena owner of the edges by their sources
  WholeGraphEdges(Arena arena, PropagationRows propagation) {
    edges = new EdgePattern(propagation.forward());
    transposed =
        propagation.samePattern() ? edges.symmetricTransposed(arena) : edges.transposed(arena);
  }

  @Override
  public EdgePattern edges() {
    return edges;
  }

  @Override
  public EdgePattern.Transposed transposed() {
    return transposed;
  }

  @Override
  public RowIds sources() {
    return RowIds.from(0);
  }

  @Override
  public void gather(DenseMatrix z) {}

  @Override
  public void scatterAdd(DenseMatrix gradient) {}
}
