package dev.gossamer.planner;

import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.link.RankLinks;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.GraphLayer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The cost of an epoch of minibatches, from drawn batches ([DrawnEpoch]) and measured rates. Ranks
/// run their turns in step, because each step adds up gradients:
///
/// | phase | seconds of a turn |
/// |---|---|
/// | sample | `max sampling(edges)`, and for a partitioned graph the transfer of rows and draws |
/// | fetch | `max gather(inputs)`, `copy`, and the part of `link` that does not overlap with
/// computation |
/// | matmul, spmm, attention | the layers' products over the rows and entries of their blocks |
/// | exchange, map | pushed embeddings, if historical ones are kept; after the computation |
/// | reduce | the gradients, at the end of a step |
/// | other | transposition of blocks and sparse inputs, dropout of the input, loss, sums by column,
/// optimizer |
///
/// Drawing and fetching ahead hides no time of cores, which are all busy; only links work in
/// parallel. `max`, `copy` and `link` are those of [WholeGraphCost].
///
/// Bytes are those of fetches of rows that a rank neither owns nor caches: their numbers (4 bytes
/// each, and 8 per rank for the count) and the rows. For a partitioned graph they include the rows
/// of `Â` that are requested once per bulk and layer, or what owners draw from long rows. Gradients
/// are added.
public final class MinibatchCost {
  private final RankLayout layout;
  private final MinibatchPlan plan;
  private final MinibatchSettings settings;
  private final NetworkSettings network;
  private final DrawnEpoch epoch;
  private final int ranks;
  private final int c;
  private final int blocks;
  private final RowDistribution distribution;
  private final StepSeconds seconds;
  private final RankTraffic traffic;
  private final List<boolean[]> cached = new ArrayList<>();
  private final @Nullable HaloCopies copies;

  private MinibatchCost(
      RankLayout layout, MinibatchPlan plan, MinibatchSettings settings, DrawnEpoch epoch) {
    this.layout = layout;
    this.plan = plan;
    this.settings = settings;
    this.epoch = epoch;
    network = plan.training().network();
    ranks = plan.ranks();
    c = settings.replication();
    blocks = ranks / c;
    distribution = epoch.distribution();
    seconds = new StepSeconds(layout);
    traffic = new RankTraffic(layout);
    copies = settings.historical() == null ? null : HaloCopies.of(epoch.rows(), distribution);
  }

  /// Computes the cost of an epoch from drawn batches.
  ///
  /// @param layout where the plan's ranks are
  /// @param plan the network and the data
  /// @param settings sampler and sizes, with a bulk
  /// @param placement of the vertices in a block for each process row
  /// @param threads that draw here and now
  /// @return the cost of an epoch, without evaluation and the one-time cost before the first epoch
  public static EpochCost of(
      RankLayout layout,
      MinibatchPlan plan,
      MinibatchSettings settings,
      Placement placement,
      int threads) {
    try (DrawnEpoch epoch = new DrawnEpoch(plan, settings, placement, threads)) {
      return new MinibatchCost(layout, plan, settings, epoch).compute();
    }
  }

  /// Computes the cost of a run: an epoch, an evaluation ([EvaluationCost]), and the one-time cost
  /// of filling feature caches and of sending the features of the remote vertices of historical
  /// embeddings.
  ///
  /// @param layout where the plan's ranks are
  /// @param plan the network and the data
  /// @param settings sampler and sizes, with a bulk
  /// @param placement of the vertices in a block for each process row
  /// @param threads that draw here and now
  /// @return the cost of a run of one epoch
  public static RunCost ofRun(
      RankLayout layout,
      MinibatchPlan plan,
      MinibatchSettings settings,
      Placement placement,
      int threads) {
    try (DrawnEpoch epoch = new DrawnEpoch(plan, settings, placement, threads)) {
      MinibatchCost cost = new MinibatchCost(layout, plan, settings, epoch);
      EpochCost ofEpoch = cost.compute();
      PassCost evaluation = new EvaluationCost(layout, plan, settings, epoch).compute();
      return RunCost.of(ofEpoch, evaluation, cost.once());
    }
  }

  private EpochCost compute() {
    fillCaches();
    double drawn = epoch.draw(this::bulk);
    StepSeconds all = new StepSeconds(layout);
    all.addAll(seconds, 1 / drawn);
    RankTraffic sent = new RankTraffic(layout);
    sent.add(traffic, 1 / drawn);
    int[] everybody = IntStream.range(0, ranks).toArray();
    int steps = epoch.deal(0).steps();
    RankTraffic gradients = new RankTraffic(layout);
    gradients.allReduce(everybody, plan.network().layout().count(), Float.BYTES);
    all.add(Phase.REDUCE, steps * gradients.allReduceSeconds(everybody));
    sent.add(gradients, steps);
    RankTraffic loss = new RankTraffic(layout);
    loss.allReduce(everybody, 1, Double.BYTES);
    sent.add(loss, 1);
    StepSeconds step = new StepSeconds(layout);
    step.optimizer(plan.training().rule(), plan.network().layout());
    all.addAll(step, steps);
    EpochCost.Count count =
        settings.historical() != null
            ? EpochCost.Count.AT_MOST
            : drawn < 1 ? EpochCost.Count.DRAWN : EpochCost.Count.EXACT;
    return new EpochCost(steps, all.phases(), sent, count, drawn);
  }

  private GraphData dataset() {
    return plan.dataset();
  }

  private void fillCaches() {
    if (settings.cacheBytes() == 0 || blocks == 1) {
      return;
    }
    double[] accesses = epoch.accesses();
    for (int i = 0; i < blocks; i++) {
      boolean[] kept = new boolean[distribution.rows()];
      int[] chosen =
          FeatureSource.cached(
              i,
              distribution,
              epoch::featureEntries,
              epoch.input(),
              settings.wire(),
              accesses,
              settings.cacheBytes());
      for (int v : chosen) {
        kept[v] = true;
      }
      cached.add(kept);
    }
  }

  /// What comes once: hops of the features, rows that are cached, and those that historical
  /// embeddings keep, at most.
  private PassCost once() {
    StepSeconds all = new StepSeconds(layout);
    RankTraffic moved = new RankTraffic(layout);
    for (int r = 0; r < ranks && blocks > 1; r++) {
      int block = r / c;
      if (copies != null) {
        fetchOnce(r, copies.of(block), moved);
      } else if (!cached.isEmpty()) {
        boolean[] kept = cached.get(block);
        fetchOnce(r, IntStream.range(0, kept.length).filter(v -> kept[v]).toArray(), moved);
      }
      // How long its rows of the graph are, and those of sparse features that may be cached.
      boolean sparse = epoch.input() instanceof Features.Sparse;
      int lists = (settings.partitioned() ? 1 : 0) + (sparse && !cached.isEmpty() ? 1 : 0);
      for (int peer : column(r)) {
        moved.block(r, peer, (long) lists * distribution.count(block) * Integer.BYTES, lists);
      }
    }
    all.add(Phase.FETCH, moved.copySeconds() + moved.linkSeconds());
    addHops(all, moved);
    return new PassCost(all.phases(), moved);
  }

  private void addHops(StepSeconds all, RankTraffic moved) {
    if (network.precomputed().isNone()) {
      return;
    }
    PlacedGraph graph = new PlacedGraph(dataset(), epoch.placement());
    RankPlan ofRanks = RankPlan.of(graph, settings.division().strategy());
    PassCost hops = WholeGraphCost.ofHops(layout, ofRanks, plan.training());
    hops.phases().forEach(all::add);
    moved.add(hops.traffic(), 1);
  }

  private void fetchOnce(int rank, int[] vertices, RankTraffic moved) {
    int[] column = column(rank);
    long[] rows = new long[blocks];
    long[] entries = new long[blocks];
    for (int v : vertices) {
      rows[distribution.owner(v)]++;
      entries[distribution.owner(v)] += epoch.featureEntries(v);
    }
    for (int i = 0; i < blocks; i++) {
      featureRows(rows[i], entries[i], column[i], rank, moved);
    }
  }

  /// A fetch of features from one rank: how many and which rows, and the rows.
  private void featureRows(long rows, long entries, int owner, int rank, RankTraffic moved) {
    moved.block(rank, owner, Long.BYTES);
    moved.block(rank, owner, rows * Integer.BYTES);
    if (epoch.input() instanceof Features.Sparse x) {
      sparseRows(x.x(), rows, entries, owner, rank, moved);
    } else {
      moved.block(owner, rank, settings.wire().bytes(rows, epoch.input().width()));
    }
  }

  private int[] column(int rank) {
    return IntStream.range(0, blocks).map(i -> i * c + rank % c).toArray();
  }

  private void bulk(int from, int to, List<List<@Nullable SampledBatch>> ofRanks) {
    if (settings.partitioned() && blocks > 1 && settings.historical() == null) {
      RankTraffic rows = new RankTraffic(layout);
      for (int r = 0; r < ranks; r++) {
        graphRows(r, ofRanks.get(r), rows);
      }
      traffic.add(rows, 1);
      seconds.add(Phase.SAMPLE, rows.copySeconds() + rows.linkSeconds());
    }
    for (int turn = 0; turn < to - from; turn++) {
      int t = turn;
      turn(ofRanks.stream().map(each -> each.get(t)).toList());
    }
  }

  /// One batch of each rank.
  private void turn(List<@Nullable SampledBatch> batches) {
    seconds.sampling(
        ofRanks(
            batches,
            batch ->
                new HashSet<>(batch.blocks()).stream().mapToLong(b -> b.matrix().nnz()).sum()));
    StepSeconds computing = new StepSeconds(layout);
    compute(batches, computing);
    seconds.addAll(computing, 1);
    fetch(batches, settings.overlaps() ? computing.total() : 0);
    push(batches, computing.total());
  }

  private interface OfBatch {
    long of(SampledBatch batch);
  }

  private static long[] ofRanks(List<@Nullable SampledBatch> batches, OfBatch number) {
    return batches.stream().mapToLong(batch -> batch == null ? 0 : number.of(batch)).toArray();
  }

  private void compute(List<@Nullable SampledBatch> batches, StepSeconds computing) {
    List<GraphLayer> layers = plan.network().layers();
    boolean sparseInput = epoch.input() instanceof Features.Sparse;
    long[] inputEntries =
        ofRanks(
            batches, batch -> IntStream.of(batch.inputs()).mapToLong(epoch::featureEntries).sum());
    if (network.inputDropout() > 0) {
      computing.inputDropout(
          epoch.input(), ofRanks(batches, batch -> batch.inputs().length), inputEntries);
    }
    if (sparseInput) {
      computing.transpose(inputEntries);
    }
    for (int l = 0; l < layers.size(); l++) {
      int layer = l;
      long[] targets = ofRanks(batches, batch -> batch.blocks().get(layer).destinations());
      long[] sources = ofRanks(batches, batch -> batch.blocks().get(layer).computed());
      long[] entries = ofRanks(batches, batch -> batch.blocks().get(layer).matrix().nnz());
      computing.transpose(entries);
      if (network.edgeDropout() > 0) {
        computing.edgeDropout(entries);
      }
      new RankProducts(targets, sources, entries, l == 0 && sparseInput ? inputEntries : null)
          .add(computing, layers.get(l), l == 0 ? Backward.PARAMETERS : Backward.INPUT);
      computing.stream(
          Phase.OTHER, StepSeconds.times(targets, (long) layers.get(l).out() * Float.BYTES));
      if (l + 1 < layers.size() && network.dropout() > 0) {
        computing.dropout(
            StepSeconds.last(layers.get(l)), StepSeconds.times(targets, layers.get(l).out()));
      }
    }
    long[] seeds = ofRanks(batches, batch -> batch.seeds().length);
    if (dataset().links() == null) {
      computing.loss(seeds, seeds, dataset().outputs());
      return;
    }
    long pairs = RankLinks.trainingPairs(dataset()) / ((long) epoch.deal(0).turns() * ranks);
    computing.pairs(
        ofRanks(batches, _ -> pairs), network.decoder(), dataset().outputs(), Backward.INPUT);
  }

  /// Rows that a batch reads: local ones are copied, remote ones come.
  private void fetch(List<@Nullable SampledBatch> batches, double hidden) {
    boolean sparse = epoch.input() instanceof Features.Sparse;
    long[] inputs = ofRanks(batches, batch -> batch.inputs().length);
    long rowBytes =
        sparse
            ? Math.max(1, averageRowBytes(batches, inputs))
            : (long) epoch.input().width() * Float.BYTES;
    seconds.gather(Phase.FETCH, inputs, Math.toIntExact(rowBytes));
    if (blocks == 1 || settings.historical() != null) {
      return;
    }
    RankTraffic moved = new RankTraffic(layout);
    for (int r = 0; r < ranks; r++) {
      int[] column = column(r);
      long[] rows = new long[blocks];
      long[] entries = new long[blocks];
      SampledBatch batch = batches.get(r);
      for (int v : batch == null ? new int[0] : batch.inputs()) {
        int owner = distribution.owner(v);
        if (owner != r / c && (cached.isEmpty() || !cached.get(r / c)[v])) {
          rows[owner]++;
          entries[owner] += epoch.featureEntries(v);
        }
      }
      for (int i = 0; i < blocks; i++) {
        featureRows(rows[i], entries[i], column[i], r, moved);
      }
    }
    traffic.add(moved, 1);
    seconds.add(Phase.FETCH, moved.copySeconds() + Math.max(0, moved.linkSeconds() - hidden));
  }

  private long averageRowBytes(List<@Nullable SampledBatch> batches, long[] inputs) {
    if (!(epoch.input() instanceof Features.Sparse x)) {
      return 0;
    }
    long entries =
        batches.stream()
            .filter(Objects::nonNull)
            .flatMapToInt(batch -> Arrays.stream(batch.inputs()))
            .mapToLong(epoch::featureEntries)
            .sum();
    return entries * FetchedRows.entryBytes(x.x()) / Math.max(1, Arrays.stream(inputs).sum());
  }

  /// Counts the messages of sparse rows: lengths, columns, and values and scales if there are any.
  static void sparseRows(
      CsrMatrix x, long rows, long entries, int from, int to, RankTraffic moved) {
    moved.block(from, to, rows * Integer.BYTES);
    moved.block(from, to, entries * Integer.BYTES);
    if (x.values() != null) {
      moved.block(from, to, entries * Float.BYTES);
    }
    if (x.rowScale() != null) {
      moved.block(from, to, rows * Float.BYTES);
    }
  }

  /// Rows of `Â` that a rank's bulk asks others for, layer by layer: those of destinations, and of
  /// both ends of an entry of a subgraph. GraphSAGE asks the owner to draw where that is less than
  /// the row, unless relations of edges are read, which come with the whole row.
  private void graphRows(int rank, List<@Nullable SampledBatch> batches, RankTraffic moved) {
    List<Integer> sizes = settings.sampler(ranks).sizes();
    boolean draws = settings.sampler().takesMeans() && !plan.training().network().seesRelations();
    boolean bothEnds = settings.sampler().drawsSubgraphs();
    CsrMatrix a = epoch.rows();
    int layers = plan.network().layers().size();
    for (int hop = 0; hop < layers; hop++) {
      int[] askers = new int[distribution.rows()];
      for (SampledBatch batch : batches) {
        if (batch != null) {
          SampledBlock block = batch.blocks().get(layers - 1 - hop);
          int asked = bothEnds ? block.sources().length : block.destinations();
          for (int i = 0; i < asked; i++) {
            askers[block.sources()[i]]++;
          }
        }
      }
      long[] rows = new long[blocks];
      long[] entries = new long[blocks];
      long[] drawn = new long[blocks];
      for (int v = 0; v < askers.length; v++) {
        int owner = askers[v] == 0 ? rank / c : distribution.owner(v);
        if (owner != rank / c) {
          if (draws && a.rowLength(v) > (long) sizes.get(hop) * askers[v]) {
            drawn[owner] += askers[v];
          } else {
            rows[owner]++;
            entries[owner] += a.rowLength(v);
          }
        }
      }
      int[] column = column(rank);
      for (int i = 0; i < blocks; i++) {
        int owner = column[i];
        moved.block(rank, owner, Long.BYTES);
        moved.block(rank, owner, rows[i] * Integer.BYTES);
        sparseRows(
            draws ? a.withValues(null).withScales(null, null) : a,
            rows[i],
            entries[i],
            owner,
            rank,
            moved);
        if (draws) {
          moved.block(rank, owner, Long.BYTES);
          moved.block(rank, owner, drawn[i] * 3 * Integer.BYTES);
          moved.block(owner, rank, drawn[i] * sizes.get(hop) * Integer.BYTES);
        }
      }
    }
  }

  /// What a turn pushes to the ranks that keep its vertices, at most.
  private void push(List<@Nullable SampledBatch> batches, double hidden) {
    HistoricalSettings kept = settings.historical();
    if (kept == null || copies == null || blocks == 1) {
      return;
    }
    RankTraffic moved = new RankTraffic(layout);
    List<GraphLayer> layers = plan.network().layers();
    for (int r = 0; r < ranks; r++) {
      int[] column = column(r);
      long[] bytes = new long[blocks];
      SampledBatch batch = batches.get(r);
      for (int l = 1; l < layers.size() && batch != null; l++) {
        long[] rows = new long[blocks];
        SampledBlock block = batch.blocks().get(l);
        for (int i = 0; i < block.computed(); i++) {
          copies.count(block.sources()[i], rows);
        }
        for (int i = 0; i < blocks; i++) {
          long sent = Math.min(rows[i], kept.pushLimit());
          bytes[i] += sent * (Integer.BYTES + settings.wire().bytes(1, layers.get(l).in()));
        }
      }
      for (int i = 0; i < blocks; i++) {
        moved.block(r, column[i], (layers.size() - 1L) * Integer.BYTES);
        moved.block(r, column[i], bytes[i]);
      }
    }
    traffic.add(moved, 1);
    seconds.add(Phase.EXCHANGE, moved.copySeconds() + Math.max(0, moved.linkSeconds() - hidden));
  }
}
