package dev.gossamer.gnn.fullgraph;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.exchange.DistributedEdges;
import dev.gossamer.exchange.DistributedSpmm;
import dev.gossamer.exchange.DroppedEdges;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.ExchangeWidth;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.gnn.stack.FeaturedEdges;
import dev.gossamer.gnn.stack.LocalAggregation;
import dev.gossamer.gnn.stack.LocalEdges;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.PropagationRows;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.EntryDropout;
import dev.gossamer.nn.layers.Aggregation;
import dev.gossamer.nn.layers.DroppedNeighbourhood;
import dev.gossamer.nn.layers.GraphView;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.Neighbourhood;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/// Creates a rank's view of the whole graph: with exchange of remote rows, or local if the graph is
/// in one block.
///
/// @param grid of the strategy's replication; borrowed
/// @param width of the rows that are aggregated or gathered
/// @param dropout of edges in training; null for none
/// @param arena shared, owner of the rank's part of the graph
record GraphViews(
    ProcessGrid grid,
    ExchangeStrategy strategy,
    ExchangeWidth width,
    @Nullable EntryDropout dropout,
    Kernels kernels,
    Arena arena) {
  /// Returns the view of a network. Collective.
  GraphView of(PlacedGraph graph, NetworkSettings settings) {
    if (!settings.seesGraph()) {
      return Aggregation.IDENTITY;
    }
    Propagation propagation = settings.propagation(graph.data());
    return grid.blocks() == 1
        ? here(graph, propagation, settings)
        : spread(graph, propagation, settings);
  }

  private GraphView here(PlacedGraph graph, Propagation propagation, NetworkSettings settings) {
    Placement placement = graph.placement();
    PropagationRows rows = placement.allRows(arena, propagation);
    RowIds vertices = RowIds.of(placement.members(0));
    if (settings.seesEdges()) {
      return dropping(graph.data(), LocalEdges.of(arena, rows, vertices), settings);
    }
    return dropout == null
        ? LocalAggregation.of(rows, kernels)
        : LocalAggregation.dropping(arena, rows, vertices, dropout, kernels);
  }

  private GraphView spread(PlacedGraph graph, Propagation propagation, NetworkSettings settings) {
    Placement placement = graph.placement();
    try (Arena temporary = Arena.ofShared()) {
      PropagationRows rows = placement.blockRows(temporary, propagation, grid.row());
      return settings.seesEdges()
          ? dropping(graph.data(), edges(placement, rows, settings), settings)
          : new DistributedSpmm(
              grid,
              placement.distribution(),
              rows,
              strategy,
              width,
              kernels,
              arena,
              dropout == null ? null : new DroppedEdges(dropout, placement));
    }
  }

  /// The edges with their features, of which training steps drop some.
  private Neighbourhood dropping(GraphData data, Neighbourhood all, NetworkSettings settings) {
    Neighbourhood edges = FeaturedEdges.of(arena, all, data, settings, kernels.workers());
    if (dropout == null) {
      return edges;
    }
    return switch (settings.kind().sight()) {
      case RELATIONS -> DroppedNeighbourhood.ofRelations(arena, edges, dropout, kernels);
      case MESSAGES -> DroppedNeighbourhood.ofMessages(arena, edges, dropout, kernels);
      case NONE, ROWS, EDGES -> DroppedNeighbourhood.ofAttention(arena, edges, dropout, kernels);
    };
  }

  private Neighbourhood edges(Placement placement, PropagationRows rows, NetworkSettings settings) {
    requireEdges(strategy, settings);
    return new DistributedEdges(
        grid.processColumn(),
        placement,
        rows.forward(),
        strategy.wire(),
        width.widest(),
        kernels,
        arena);
  }

  /// Refuses strategies with which layers that read edges cannot have the rows of all sources of a
  /// target at the same time.
  static void requireEdges(ExchangeStrategy strategy, NetworkSettings settings) {
    int features = settings.kind().edgeFeatures();
    String name = settings.kind().name() + (features > 0 ? " with features of edges" : "");
    if (strategy.kind() != Kind.SPARSITY_AWARE) {
      throw new InvalidSettingException(
          "{exchange}: %s needs the rows of all neighbours at once; expected sparsity-aware, found oblivious"
              .formatted(name));
    }
    if (strategy.replication() != 1) {
      throw new InvalidSettingException(
          "{replication}: %s needs the rows of all neighbours at once; expected 1, found %d"
              .formatted(name, strategy.replication()));
    }
  }
}
