package dev.gossamer.partition;

import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.partition.coarsen.Clustering;
import dev.gossamer.partition.coarsen.Contraction;
import dev.gossamer.partition.initial.RecursiveBisection;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import dev.gossamer.partition.refine.CutGains;
import dev.gossamer.partition.refine.Gains;
import dev.gossamer.partition.refine.LabelPropagation;
import dev.gossamer.partition.refine.LocalSearch;
import dev.gossamer.partition.refine.Pressure;
import dev.gossamer.partition.refine.Rebalancing;
import dev.gossamer.partition.refine.VolumeGains;
import java.util.ArrayDeque;
import java.util.Deque;

/// One run of the multilevel method.
final class MultilevelRun {
  static final double ALPHA = Double.parseDouble(System.getProperty("alpha", "0.5"));
  static final int COARSEST = Integer.getInteger("coarsest", 40);
  static final int GROWTH = Integer.getInteger("growth", 4);
  static final int LP = Integer.getInteger("lp", 4);
  static final int LPV = Integer.getInteger("lpv", 10);
  static final int FMDEG = Integer.getInteger("fmdeg", 16);
  static final int CLUS = Integer.getInteger("clus", 20);
  static final boolean LOG = Boolean.getBoolean("log");
  static final int VOLLEVELS = Integer.getInteger("vollevels", 1);

  private record Level(LevelGraph graph, Contraction.Mapping mapping) {}

  private final Objective objective;
  private final PartitionRequest request;
  private final Workers workers;
  private final Progress progress;
  private final long[] caps;
  private final long t0 = System.nanoTime();

  MultilevelRun(
      Objective objective,
      PartitionRequest request,
      Workers workers,
      Progress progress,
      long[] caps) {
    this.objective = objective;
    this.request = request;
    this.workers = workers;
    this.progress = progress;
    this.caps = caps;
  }

  void log(String f, Object... a) {
    if (LOG) {
      System.out.printf("%6.2f %s%n", (System.nanoTime() - t0) * 1e-9, f.formatted(a));
    }
  }

  int[] run(LevelGraph input) {
    int k = request.parts();
    Deque<Level> levels = new ArrayDeque<>();
    LevelGraph graph = input;
    while (graph.vertices() > Math.max(200, (long) COARSEST * k)) {
      long[] clusterCaps = new long[caps.length];
      for (int c = 0; c < caps.length; c++) {
        long total = graph.totalLoad(c);
        clusterCaps[c] =
            Math.max(
                1,
                Math.min(
                    total / ((long) CLUS * k),
                    (long) Math.ceil((double) total / graph.vertices() * GROWTH * (c > 0 ? 4 : 1))));
      }
      int[] clusters = Clustering.of(graph, clusterCaps, null, request.seed(), workers);
      Contraction next = Contraction.of(graph, clusters, workers);
      log("level n=%d arcs=%d", next.graph().vertices(), next.graph().arcs());
      if (next.graph().vertices() > 0.95 * graph.vertices()) {
        next.graph().close();
        break;
      }
      levels.push(new Level(graph, next.coarse()));
      graph = next.graph();
    }
    int[] part = new RecursiveBisection(caps, request.seed(), workers).of(graph, k);
    log("initial");
    part = refine(graph, part, levels.size());
    while (!levels.isEmpty()) {
      graph.close();
      Level level = levels.pop();
      graph = level.graph();
      part = level.mapping().project(part);
      part = refine(graph, part, levels.size());
    }
    return part;
  }

  private PartLoads loads() {
    int k = request.parts();
    long[][] all = new long[caps.length][k];
    for (int c = 0; c < caps.length; c++) {
      java.util.Arrays.fill(all[c], caps[c]);
    }
    return new PartLoads(all);
  }

  private int[] refine(LevelGraph graph, int[] part, int depth) {
    boolean volume = objective != Objective.EDGE_CUT && depth < VOLLEVELS;
    boolean mesh = graph.arcs() < (long) FMDEG * graph.vertices();
    Gains gains = new CutGains(graph, part, loads());
    cutRounds(gains, mesh);
    if (depth == 0 || gains.loads().overload() > 0) {
      boolean ok = new Rebalancing(gains).run();
      log("depth %d rebalanced %s", depth, ok);
    }
    log("depth %d cut", depth);
    if (volume) {
      try (VolumeGains v = new VolumeGains(graph, part, loads())) {
        volumeRounds(v, mesh, depth);
      }
    }
    return part;
  }

  private void cutRounds(Gains gains, boolean mesh) {
    LabelPropagation lp = new LabelPropagation(gains, request.seed(), workers);
    for (int i = 0; i < LP; i++) {
      if (lp.round(i, () -> {}) == 0) {
        break;
      }
    }
    if (mesh) {
      LocalSearch search = new LocalSearch(gains, 50, request.seed());
      for (int i = 0; i < 3; i++) {
        if (search.pass(i) == 0) {
          break;
        }
      }
    }
  }

  private void volumeRounds(VolumeGains gains, boolean mesh, int depth) {
    LabelPropagation lp = new LabelPropagation(gains, request.seed() + 1, workers);
    logVolume(gains, "start");
    for (int i = 0; i < LPV; i++) {
      if (lp.round(i, () -> {}) == 0) {
        break;
      }
      logVolume(gains, "lp " + i);
    }
    if (mesh) {
      LocalSearch search = new LocalSearch(gains, 50, request.seed());
      for (int i = 0; i < 3; i++) {
        if (search.pass(i) == 0) {
          break;
        }
        logVolume(gains, "fm " + i);
      }
    }
    if (objective != Objective.VOLUME) {
      for (int i = 0; i < LPV; i++) {
        Pressure pressure = new Pressure(gains, 1 + i, objective == Objective.SEND_RECEIVE_VOLUME);
        lp.round(i + 100, pressure::update);
        logVolume(gains, "pressure " + i);
      }
    }
  }

  private void logVolume(VolumeGains gains, String what) {
    if (LOG) {
      long total = 0;
      long max = 0;
      for (long s : gains.send()) {
        total += s;
        max = Math.max(max, s);
      }
      log("volume %s: total %d max %d over %g", what, total, max, gains.loads().overload());
    }
  }
}
