package dev.gossamer.gnn.fullgraph;

import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.nn.Aggregation;
import dev.gossamer.nn.GraphView;
import dev.gossamer.nn.Kernels;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;

/// What one rank trains on: its vertices, and how they see their neighbours. Arrays are not copied.
public final class Shard {
  private final RowIds ids;
  private final Features features;
  private final int[] labels;
  private final byte[] split;
  private final int classes;
  private final GraphView graph;
  private final Team team;

  private Shard(
      RowIds ids,
      Features features,
      int[] labels,
      byte[] split,
      int classes,
      GraphView graph,
      Team team) {
    this.ids = ids;
    this.features = features;
    this.labels = labels;
    this.split = split;
    this.classes = classes;
    this.graph = graph;
    this.team = team;
  }

  /// The vertices of the data set that the rows of this shard are.
  public RowIds ids() {
    return ids;
  }

  /// One row for each vertex of the shard.
  public Features features() {
    return features;
  }

  /// Class of each vertex of the shard.
  public int[] labels() {
    return labels;
  }

  /// Split code of each vertex of the shard.
  public byte[] split() {
    return split;
  }

  public int classes() {
    return classes;
  }

  /// The whole graph, seen from these rows; identity for a network that ignores it.
  public GraphView graph() {
    return graph;
  }

  /// The ranks that own the other vertices.
  public Team team() {
    return team;
  }

  /// Vertices of the shard.
  public int rows() {
    return labels.length;
  }

  /// The whole data set on one rank.
  ///
  /// @param arena owner of the normalised graph
  static Shard whole(Arena arena, GraphData dataset, NetworkSettings settings, Kernels kernels) {
    GraphView graph = Aggregation.IDENTITY;
    if (settings.seesEdges()) {
      graph = new WholeGraphEdges(arena, settings.propagation(dataset).all(arena));
    } else if (settings.seesGraph()) {
      graph = new WholeGraph(settings.propagation(dataset).all(arena), kernels);
    }
    return new Shard(
        RowIds.from(0),
        dataset.features(),
        dataset.labels(),
        dataset.split(),
        dataset.classes(),
        graph,
        Team.ALONE);
  }

  /// One block of a placement. Features are copied, unless the block is contiguous in the data set.
  ///
  /// @param arena owner of what is copied
  public static Shard of(
      Arena arena,
      GraphData dataset,
      Placement placement,
      int block,
      GraphView graph,
      Team team,
      Workers workers) {
    int[] members = placement.members(block);
    int[] labels = new int[members.length];
    byte[] split = new byte[members.length];
    for (int i = 0; i < members.length; i++) {
      labels[i] = dataset.labels()[members[i]];
      split[i] = dataset.split()[members[i]];
    }
    Features features = placement.blockFeatures(arena, dataset.features(), block, workers);
    return new Shard(RowIds.of(members), features, labels, split, dataset.classes(), graph, team);
  }
}
