package dev.gossamer.partition;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import dev.gossamer.partition.initial.RecursiveBisection;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import dev.gossamer.partition.refine.ClusterLevel;
import dev.gossamer.partition.refine.CutGains;
import dev.gossamer.partition.refine.LabelPropagation;
import dev.gossamer.partition.refine.LocalSearch;
import dev.gossamer.partition.refine.Rebalancing;
import dev.gossamer.partition.refine.VolumeGains;
import dev.gossamer.partition.refine.VolumeRefinement;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One run of the multilevel method: coarsen, bisect the coarsest level recursively, refine the cut
/// on every level, and on the input level the volume.
///
/// On coarse levels all objectives are an edge cut, with weights that estimate the contribution of
/// a cut edge to the objective ([InputLevel]): the volume of clusters is unknown there, because not
/// every member of a cluster has neighbours in all adjacent parts of the cluster.
///
/// The volume is refined on the input by [VolumeRefinement], which moves the clusters of all levels
/// as well.
///
/// On regular inputs, the hierarchy is built again with clusters that respect the partition, before
/// the volume is refined (iterated multilevel, Walshaw 2004).
final class MultilevelRun {
  /// Coarsening stops at this number of vertices per part.
  private static final int COARSEST = 100;

  private static final int LEAST_COARSEST = 200;

  /// A cluster is at most this share of a part.
  private static final int CLUSTERS_IN_PART = 50;

  /// Times that the hierarchy is built again on top of the partition of a regular graph.
  private static final int REGULAR_REPEATS = 1;

  /// Maximum size of a cluster in average vertices of its level, if degrees are bounded.
  static final int REGULAR_GROWTH = 2;

  static final int IRREGULAR_GROWTH = 32;

  /// Localised search is worth its cost if the sum of squared degrees is below this multiple of the
  /// arcs of the input; such an input is called regular: a mesh or a road network.
  private static final long SEARCH_WORK = 16;

  /// Most initial partitions, of which the best is taken, and more for few parts, as they cost
  /// less.
  private static final int INITIAL_TRIES = 4;

  private static final int TRIES_AND_PARTS = 64;

  /// Tries have to be cheap: the input has at least this multiple of the arcs of all tries.
  private static final int ARCS_A_TRY = 4;

  private static final int CUT_ROUNDS = 4;
  private static final int SEARCH_PASSES = 3;
  private static final int PATIENCE = 100;

  private final Objective objective;
  private final int k;
  private final long seed;
  private final long[] caps;
  private final Workers workers;
  private final Progress progress;
  private final LevelGraph input;
  private final boolean regular;
  private List<ClusterLevel> clusters = List.of();

  /// @param caps maximum of each load of a part
  MultilevelRun(
      Objective objective,
      PartitionRequest request,
      LevelGraph input,
      long[] caps,
      Workers workers,
      Progress progress) {
    this.objective = objective;
    this.k = request.parts();
    this.seed = request.seed();
    this.caps = caps;
    this.workers = workers;
    this.progress = progress;
    this.input = input;
    regular = isCheapToSearch(input);
  }

  /// The part of each vertex of the input level.
  int[] run() {
    int[] part = multilevel(null, 0);
    for (int i = 1; i <= (regular ? REGULAR_REPEATS : 0); i++) {
      part = multilevel(part, i);
    }
    if (objective != Objective.EDGE_CUT) {
      try (VolumeGains gains = new VolumeGains(input, part, loads())) {
        boolean pressed = objective != Objective.VOLUME;
        VolumeRefinement volume = new VolumeRefinement(gains, pressed, seed + 1, workers, progress);
        if (regular) {
          volume.alongBoundaries();
        } else {
          volume.throughClusters(clusters);
        }
      }
    }
    return part;
  }

  /// Coarsens, partitions the coarsest level unless there is a partition already, and refines the
  /// cut on every level.
  ///
  /// @param given a partition to be made better, which clusters respect; null for a new one
  private int[] multilevel(int @Nullable [] given, int round) {
    try (Hierarchy levels = new Hierarchy(input, given)) {
      coarsen(levels, seed + round);
      clusters = regular || objective == Objective.EDGE_CUT ? List.of() : levels.clusters();
      progress.at("initial partition", 0, 1);
      int[] lifted = levels.part();
      int[] part = lifted == null ? initial(levels.graph()) : lifted;
      int all = levels.finer() + 1;
      refine(levels.graph(), part, levels.finer() == 0);
      while (levels.finer() > 0) {
        progress.at("refinement", all - levels.finer(), all);
        part = levels.descend(part);
        refine(levels.graph(), part, levels.finer() == 0);
      }
      progress.at("refinement", all, all);
      return part;
    }
  }

  private void coarsen(Hierarchy levels, long clusterSeed) {
    long target = Math.max(LEAST_COARSEST, (long) COARSEST * k);
    boolean shrinks = true;
    while (shrinks && levels.graph().vertices() > target) {
      progress.at("coarsening", input.vertices() - levels.graph().vertices(), input.vertices());
      shrinks = levels.coarsen(clusterCaps(levels.graph()), clusterSeed, workers);
    }
  }

  /// The best of a few initial partitions: the least overload, then the least cut.
  private int[] initial(LevelGraph graph) {
    int[] best = {};
    double bestOverload = Double.POSITIVE_INFINITY;
    long bestCut = 0;
    boolean search = isCheapToSearch(graph);
    long tries =
        Math.clamp(
            input.arcs() / (ARCS_A_TRY * Math.max(1, graph.arcs())),
            1,
            Math.max(INITIAL_TRIES, TRIES_AND_PARTS / k));
    for (int i = 0; i < tries; i++) {
      int[] part = new RecursiveBisection(caps, seed + 7919L * i, workers).of(graph, k);
      CutGains gains = new CutGains(graph, part, loads());
      refineCut(gains, search);
      new Rebalancing(gains, () -> {}).relieve();
      double overload = gains.loads().overload();
      long cut = gains.cut();
      if (overload < bestOverload || (overload == bestOverload && cut < bestCut)) {
        bestOverload = overload;
        bestCut = cut;
        best = part;
      }
    }
    return best;
  }

  private long[] clusterCaps(LevelGraph graph) {
    long[] most = new long[caps.length];
    for (int c = 0; c < caps.length; c++) {
      double total = (double) graph.totalLoad(c);
      double growth = regular ? REGULAR_GROWTH : IRREGULAR_GROWTH;
      double ofPart = total / ((double) CLUSTERS_IN_PART * k);
      most[c] = (long) Math.max(1, Math.min(ofPart, Math.ceil(growth * total / graph.vertices())));
    }
    return most;
  }

  private boolean isCheapToSearch(LevelGraph graph) {
    double squares = 0;
    for (int v = 0; v < graph.vertices(); v++) {
      squares += (double) graph.degree(v) * graph.degree(v);
    }
    return squares <= (double) SEARCH_WORK * (double) input.arcs();
  }

  private PartLoads loads() {
    long[][] all = new long[caps.length][k];
    for (int c = 0; c < caps.length; c++) {
      Arrays.fill(all[c], caps[c]);
    }
    return new PartLoads(all);
  }

  private void refine(LevelGraph graph, int[] part, boolean last) {
    boolean search = isCheapToSearch(graph);
    CutGains cut = new CutGains(graph, part, loads());
    refineCut(cut, search);
    Rebalancing rebalancing = new Rebalancing(cut, () -> {});
    if (last) {
      rebalancing.settle();
    } else {
      rebalancing.relieve();
    }
  }

  private void refineCut(CutGains gains, boolean search) {
    LabelPropagation propagation = new LabelPropagation(gains, seed, workers);
    long gained = 1;
    for (int i = 0; i < CUT_ROUNDS && gained > 0; i++) {
      gained = propagation.round(i, () -> {});
    }
    if (search) {
      LocalSearch local = new LocalSearch(gains, PATIENCE, seed);
      gained = 1;
      for (int i = 0; i < SEARCH_PASSES && gained > 0; i++) {
        gained = local.pass(i);
      }
    }
  }
}
