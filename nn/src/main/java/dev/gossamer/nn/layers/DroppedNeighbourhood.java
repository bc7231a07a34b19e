package dev.gossamer.nn.layers;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.attention.RelationSums;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.EntryDropout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Edges of a graph of which each training step drops some ([EntryDropout]). Rows are gathered and
/// returned as without dropout, and a pass visits all edges, of which dropped ones have no weight:
/// the logarithm of a weight that attention adds to their scores is `-Infinity`, and the set of
/// their relations, whose number is their value, is empty. So these layers normalise over the edges
/// that are left. In sums of messages, entries of dropped edges are 0, and others are scaled
/// ([EntryDropout#scaled]).
public final class DroppedNeighbourhood implements AroundEdges {
  private final Neighbourhood all;
  private final Neighbourhood left;
  private final EdgeDraw draw;

  private DroppedNeighbourhood(Neighbourhood all, EdgePattern left, EdgeDraw draw) {
    this.all = all;
    this.left = new Left(all, left);
    this.draw = draw;
  }

  /// {@return edges that attention weighs}
  ///
  /// @param arena owner of a number for each edge
  /// @param all edges without weights, with one from each target to itself; borrowed
  /// @param dropout of the edges
  /// @param kernels threads and clock; borrowed
  public static DroppedNeighbourhood ofAttention(
      Arena arena, Neighbourhood all, EntryDropout dropout, Kernels kernels) {
    MemorySegment logs = numbers(arena, all);
    return new DroppedNeighbourhood(
        all,
        new EdgePattern(all.edges().csr(), logs),
        draw(all, dropout, new EntryDropout.Outcome(0, 0, Float.NEGATIVE_INFINITY), logs, kernels));
  }

  /// {@return edges of a graph of relations}
  ///
  /// @param arena owner of a number for each edge
  /// @param all edges, with the number of a set as the value of each; borrowed
  /// @param dropout of the edges
  /// @param kernels threads and clock; borrowed
  public static DroppedNeighbourhood ofRelations(
      Arena arena, Neighbourhood all, EntryDropout dropout, Kernels kernels) {
    MemorySegment sets = numbers(arena, all);
    return new DroppedNeighbourhood(
        all,
        new EdgePattern(all.edges().csr().withValues(sets)),
        draw(all, dropout, new EntryDropout.Outcome(1, 1, RelationSums.NONE), sets, kernels));
  }

  /// {@return edges over which messages are summed with the entries of the matrix}
  ///
  /// @param arena owner of a number for each edge
  /// @param all edges, with an entry of each; borrowed
  /// @param dropout of the edges
  /// @param kernels threads and clock; borrowed
  public static DroppedNeighbourhood ofMessages(
      Arena arena, Neighbourhood all, EntryDropout dropout, Kernels kernels) {
    MemorySegment values = numbers(arena, all);
    CsrMatrix a = all.edges().csr();
    return new DroppedNeighbourhood(
        all,
        new EdgePattern(a.withValues(values).withScales(a.rowScale(), null)),
        draw(all, dropout, dropout.scaled(), values, kernels));
  }

  private static MemorySegment numbers(Arena arena, Neighbourhood all) {
    return arena.allocate(all.edges().count() * Float.BYTES, DenseMatrix.ALIGNMENT);
  }

  private static EdgeDraw draw(
      Neighbourhood all,
      EntryDropout dropout,
      EntryDropout.Outcome outcome,
      MemorySegment to,
      Kernels kernels) {
    RowIds ids = all.sources();
    return new EdgeDraw(
        kernels,
        step -> dropout.apply(all.edges().csr(), step, ids, ids, outcome, to, kernels.workers()));
  }

  @Override
  public Neighbourhood drawn(long step) {
    draw.of(step);
    return left;
  }

  @Override
  public Neighbourhood around() {
    return all;
  }

  @Override
  public EdgePattern edges() {
    return all.edges();
  }

  /// The same edges with other numbers.
  private record Left(Neighbourhood around, EdgePattern edges) implements AroundEdges {}
}
