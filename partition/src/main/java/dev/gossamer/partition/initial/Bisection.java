package dev.gossamer.partition.initial;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.partition.coarsen.Clustering;
import dev.gossamer.partition.coarsen.Contraction;
import dev.gossamer.partition.level.GainHeap;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import java.util.Arrays;
import java.util.function.IntFunction;

/// Multilevel bisection of a small graph: it is coarsened to a few dozen vertices, side 0 grows
/// from a random vertex with the least increase of the cut (the best of several tries), and each
/// level is refined by [TwoWaySearch].
final class Bisection {
  private static final int STREAM = 0x42495345;
  private static final int COARSEST = 120;
  private static final int TRIES = 6;
  private static final int CLUSTERS = 40;
  private static final int GROWTH = 4;
  private static final int PASSES = 6;
  private static final int RUNS = 4;

  private final long[][] caps;
  private final double share;
  private final long seed;
  private final Workers workers;

  /// @param caps maximum of each load of sides 0 and 1
  /// @param share target fraction of the loads of side 0
  Bisection(long[][] caps, double share, long seed, Workers workers) {
    this.caps = caps;
    this.share = share;
    this.seed = seed;
    this.workers = workers;
  }

  /// Returns the side of each vertex, the best of several runs.
  int[] best(LevelGraph graph) {
    return bestOf(
        graph, RUNS, run -> new Bisection(caps, share, seed + 1000003L * run, workers).of(graph));
  }

  private int[] of(LevelGraph graph) {
    if (graph.vertices() > COARSEST) {
      long[] clusterCaps = new long[caps.length];
      for (int c = 0; c < caps.length; c++) {
        clusterCaps[c] = Math.max(1, graph.totalLoad(c) / CLUSTERS);
        double average = (double) graph.totalLoad(c) / graph.vertices();
        long growth = Math.max(1, (long) Math.ceil(GROWTH * average));
        clusterCaps[c] = Math.min(clusterCaps[c], growth);
      }
      int[] clusters = Clustering.of(graph, clusterCaps, null, seed, workers);
      Contraction next = Contraction.of(graph, clusters, workers);
      try (LevelGraph coarse = next.graph()) {
        if (coarse.vertices() < 0.95 * graph.vertices()) {
          int[] side = next.coarse().project(of(coarse));
          return refined(graph, side);
        }
      }
    }
    return bestOf(graph, TRIES, attempt -> grown(graph, attempt));
  }

  private int[] refined(LevelGraph graph, int[] side) {
    PartLoads loads = new PartLoads(caps);
    new TwoWaySearch(graph, side, loads).run(PASSES);
    return side;
  }

  private int[] bestOf(LevelGraph graph, int runs, IntFunction<int[]> run) {
    int[] best = run.apply(0);
    double bestOverload = Double.POSITIVE_INFINITY;
    long bestCut = 0;
    for (int i = 0; i < runs; i++) {
      int[] side = i == 0 ? best : run.apply(i);
      PartLoads loads = new PartLoads(caps);
      long cut = new TwoWaySearch(graph, side, loads).run(PASSES);
      double overload = loads.overload();
      if (overload < bestOverload || (overload == bestOverload && cut < bestCut)) {
        best = side;
        bestOverload = overload;
        bestCut = cut;
      }
    }
    return best;
  }

  private int[] grown(LevelGraph graph, int attempt) {
    int n = graph.vertices();
    int[] side = new int[n];
    Arrays.fill(side, 1);
    if (n == 0) {
      return side;
    }
    Philox random = Philox.keyed(seed, STREAM, attempt);
    PartLoads loads = new PartLoads(caps);
    loads.reset(graph, side);
    GainHeap heap = new GainHeap(n);
    boolean[] seen = new boolean[n];
    for (int draw = 0; draw < 2 * n && !isFull(graph, loads); draw++) {
      int start = random.below(n, draw, 0);
      if (!seen[start]) {
        seen[start] = true;
        heap.put(start, 0);
      }
      while (!heap.isEmpty() && !isFull(graph, loads)) {
        int v = heap.top();
        heap.remove(v);
        if (loads.fits(graph, v, 0)) {
          take(graph, v, side, loads, heap, seen);
        }
      }
    }
    return side;
  }

  private static void take(
      LevelGraph graph, int v, int[] side, PartLoads loads, GainHeap heap, boolean[] seen) {
    loads.move(graph, v, 1, 0);
    side[v] = 0;
    for (long e = graph.start(v); e < graph.start(v + 1); e++) {
      int u = graph.neighbour(e);
      if (side[u] == 0 || (seen[u] && !heap.contains(u))) {
        continue;
      }
      seen[u] = true;
      heap.put(u, TwoWaySearch.gain(graph, side, u));
    }
  }

  private boolean isFull(LevelGraph graph, PartLoads loads) {
    double most = 0;
    double sum = 0;
    for (int c = 0; c < graph.constraints(); c++) {
      long total = loads.load(c, 0) + loads.load(c, 1);
      double filled = total == 0 ? 0 : (double) loads.load(c, 0) / (double) total;
      most = Math.max(most, filled);
      sum += filled;
    }
    return most > 1.1 * share || sum >= share * graph.constraints();
  }
}
