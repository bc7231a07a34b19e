package dev.gossamer.gnn.stack;

import dev.gossamer.graph.Relations;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.RelationalConvolution;
import java.util.List;

/// GraphSAGE for graphs of several relations ([RelationalConvolution#separate]): the vertex's own
/// row and, for each relation, the mean over its neighbours, each with weights of their own, added
/// up. PyG's `HeteroConv(aggr="sum")` of `SAGEConv` is this; it has a weight of the own row for
/// each relation, whose sum is ours. A row that is sent is as many times as wide as the layer as
/// there are relations.
///
/// @param relations names of the relations of the graph; empty if it is not known yet
/// @param sets of the edges of the graph, by their number; empty if it is not known
public record Rsage(List<String> relations, List<Long> sets) implements RelationalKind {
  static final String NAME = "rsage";

  /// Copies the lists.
  public Rsage {
    relations = List.copyOf(relations);
    sets = List.copyOf(sets);
  }

  /// Layers for a graph that is not known yet.
  public Rsage() {
    this(List.of(), List.of());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Rsage on(Relations known) {
    return new Rsage(known.names(), known.sets());
  }

  /// Returns 1: it stores the share of an edge, once for each target and relation.
  @Override
  public int numbersPerEdge() {
    return 1;
  }

  @Override
  public GraphLayer known(Place place) {
    return RelationalConvolution.separate(
        place.name(), place.in(), place.out(), relations.size(), sets);
  }
}
