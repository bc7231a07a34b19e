package dev.gossamer.partition;

import dev.gossamer.base.Workers;
import dev.gossamer.partition.coarsen.Clustering;
import dev.gossamer.partition.coarsen.Contraction;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.refine.ClusterLevel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A graph and its successively coarser graphs, which are closed when they are dropped, or at the
/// end. The input is borrowed.
final class Hierarchy implements AutoCloseable {
  /// A level is coarsened further only if it shrinks by this factor at least.
  private static final double LEAST_SHRINKAGE = 0.95;

  /// A level of clusters is kept only if it shrinks by this factor at least.
  private static final double LEAST_CLUSTER_SHRINKAGE = 0.6;

  private record Level(LevelGraph graph, Contraction.Mapping mapping) {}

  private final Deque<Level> finer = new ArrayDeque<>();
  private LevelGraph graph;
  private int @Nullable [] part;

  /// @param input the finest level, borrowed
  /// @param part a partition that no cluster crosses, or null
  Hierarchy(LevelGraph input, int @Nullable [] part) {
    graph = input;
    this.part = part;
  }

  /// Returns the coarsest remaining level.
  LevelGraph graph() {
    return graph;
  }

  /// Returns the given partition on [#graph]; null if none was given.
  int @Nullable [] part() {
    return part;
  }

  /// Returns the number of levels below [#graph].
  int finer() {
    return finer.size();
  }

  /// Adds a coarser level.
  ///
  /// @param caps maximum load of a cluster for each balanced quantity
  /// @return false, without changes, if the graph would hardly shrink
  boolean coarsen(long[] caps, long seed, Workers workers) {
    int[] clusters = Clustering.of(graph, caps, part, seed, workers);
    Contraction next = Contraction.of(graph, clusters, workers);
    if (next.graph().vertices() > LEAST_SHRINKAGE * graph.vertices()) {
      next.graph().close();
      return false;
    }
    finer.push(new Level(graph, next.coarse()));
    graph = next.graph();
    part = part == null ? null : next.coarse().lift(part, graph.vertices());
    return true;
  }

  /// Returns the clusters of the input for the vertices of each coarser level, finest first,
  /// without levels that hardly shrink. Memory: an int per vertex and level.
  List<ClusterLevel> clusters() {
    List<ClusterLevel> levels = new ArrayList<>();
    List<Level> upwards = List.copyOf(finer).reversed();
    int[] cluster = new int[upwards.isEmpty() ? 0 : upwards.getFirst().graph().vertices()];
    Arrays.setAll(cluster, v -> v);
    int last = cluster.length;
    for (int i = 0; i < upwards.size(); i++) {
      int[] below = cluster;
      Contraction.Mapping mapping = upwards.get(i).mapping();
      cluster = new int[below.length];
      Arrays.setAll(cluster, v -> mapping.of(below[v]));
      int count = (i + 1 < upwards.size() ? upwards.get(i + 1).graph() : graph).vertices();
      if (count < LEAST_CLUSTER_SHRINKAGE * last) {
        levels.add(new ClusterLevel(cluster, count));
        last = count;
      }
    }
    return levels;
  }

  /// Drops the coarsest level.
  ///
  /// @param coarse parts of its vertices
  /// @return parts of the vertices of the next level
  int[] descend(int[] coarse) {
    graph.close();
    Level level = finer.pop();
    graph = level.graph();
    return level.mapping().project(coarse);
  }

  @Override
  public void close() {
    while (!finer.isEmpty()) {
      graph.close();
      graph = finer.pop().graph();
    }
  }
}
