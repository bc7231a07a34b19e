package dev.gossamer.partition.refine;

import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import java.util.Arrays;

/// Gains of the edge cut: moving `v` from `a` to `b` decreases the weight between parts by
///
/// `gain(v, b) = w(v, b) - w(v, a)`,
///
/// where `w(v, p)` is the weight of the edges from `v` into part `p`. Has no state; a query costs
/// the degree.
public final class CutGains extends Gains {
  /// Creates gains of a partition.
  ///
  /// @param graph the level
  /// @param part the part of each vertex
  /// @param loads of the parts
  public CutGains(LevelGraph graph, int[] part, PartLoads loads) {
    super(graph, part, loads);
  }

  /// {@return the weight of the edges between parts}
  public long cut() {
    long twice = 0;
    for (int v = 0; v < part.length; v++) {
      long end = graph.start(v + 1);
      for (long e = graph.start(v); e < end; e++) {
        int u = graph.neighbour(e);
        twice += part[u] == part[v] ? 0 : graph.weight(e, v, u);
      }
    }
    return twice / 2;
  }

  @Override
  public void best(int v, Targets targets, Move move) {
    long[] weight = move.byPart;
    Arrays.fill(weight, 0);
    long end = graph.start(v + 1);
    boolean boundary = false;
    int own = part[v];
    for (long e = graph.start(v); e < end; e++) {
      int u = graph.neighbour(e);
      weight[part[u]] += graph.weight(e, v, u);
      boundary |= part[u] != own;
    }
    begin(v, targets, move);
    boolean all = targets == Targets.RELIEVING;
    if (!boundary && !all) {
      return;
    }
    for (int b = 0; b < weight.length; b++) {
      if (b != own && (all || weight[b] > 0)) {
        offer(v, b, weight[b] - weight[own], targets, move);
      }
    }
  }

  @Override
  void moved(int v, int from, int to) {}
}
