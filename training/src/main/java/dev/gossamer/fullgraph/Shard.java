package dev.gossamer.fullgraph;

import dev.gossamer.exchange.Placement;
import dev.gossamer.graph.Dataset;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.kernel.RowGather;
import dev.gossamer.matrix.kernel.RowIds;
import dev.gossamer.network.NetworkSettings;
import dev.gossamer.network.Team;
import dev.gossamer.nn.Aggregation;
import dev.gossamer.nn.GraphView;
import dev.gossamer.nn.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

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
  static Shard whole(Arena arena, Dataset dataset, NetworkSettings settings, Kernels kernels) {
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
      Dataset dataset,
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
    Features features =
        switch (dataset.features()) {
          case Features.Dense dense -> new Features.Dense(rows(arena, dense.x(), members, workers));
          case Features.Sparse sparse -> new Features.Sparse(rows(arena, sparse.x(), members));
          case Features.None none -> none;
        };
    return new Shard(RowIds.of(members), features, labels, split, dataset.classes(), graph, team);
  }

  private static DenseMatrix rows(Arena arena, DenseMatrix x, int[] members, Workers workers) {
    if (isRange(members)) {
      long begin = members.length == 0 ? 0 : members[0];
      return x.rows(begin, begin + members.length);
    }
    DenseMatrix local = DenseMatrix.allocate(arena, members.length, x.cols());
    RowGather.gather(x, members, local, workers);
    return local;
  }

  private static boolean isRange(int[] members) {
    for (int i = 1; i < members.length; i++) {
      if (members[i] != members[i - 1] + 1) {
        return false;
      }
    }
    return true;
  }

  private static CsrMatrix rows(Arena arena, CsrMatrix x, int[] members) {
    long[] pointers = new long[members.length + 1];
    for (int i = 0; i < members.length; i++) {
      pointers[i + 1] = pointers[i] + x.rowLength(members[i]);
    }
    long nnz = pointers[members.length];
    MemorySegment columns = arena.allocate(nnz * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment from = x.values();
    MemorySegment values =
        from == null ? null : arena.allocate(nnz * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (int i = 0; i < members.length; i++) {
      long at = x.rowPointer(members[i]) * Integer.BYTES;
      long bytes = x.rowLength(members[i]) * Integer.BYTES;
      MemorySegment.copy(x.columns(), at, columns, pointers[i] * Integer.BYTES, bytes);
      if (from != null && values != null) {
        MemorySegment.copy(from, at, values, pointers[i] * Float.BYTES, bytes);
      }
    }
    return CsrMatrix.wrap(
        members.length,
        x.cols(),
        arena.allocateFrom(ValueLayout.JAVA_LONG, pointers),
        columns,
        values);
  }
}
