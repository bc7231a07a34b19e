package dev.gossamer.planner;

import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.inference.InferencePlan;
import dev.gossamer.gnn.link.RankLinks;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.GraphLayer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The cost of an evaluation between epochs of minibatches: forward passes, either layer by layer
/// over all vertices ([dev.gossamer.gnn.inference.LayerwiseInference]), with each rank computing
/// its block in small row blocks, or over batches of labelled vertices with sampled neighbours
/// ([dev.gossamer.gnn.inference.SampledInference]).
///
/// With several ranks, the rows that a row block refers to are fetched in each layer: `gather`,
/// `copy` and `link` as in [MinibatchCost], without overlap.
final class EvaluationCost {
  private final RankLayout layout;
  private final MinibatchPlan plan;
  private final MinibatchSettings settings;
  private final DrawnEpoch epoch;
  private final RowDistribution distribution;
  private final int ranks;
  private final int c;
  private final int blocks;

  EvaluationCost(
      RankLayout layout, MinibatchPlan plan, MinibatchSettings settings, DrawnEpoch epoch) {
    this.layout = layout;
    this.plan = plan;
    this.settings = settings;
    this.epoch = epoch;
    distribution = epoch.distribution();
    ranks = plan.ranks();
    c = settings.replication();
    blocks = ranks / c;
  }

  PassCost compute() {
    StepSeconds seconds = new StepSeconds(layout);
    RankTraffic traffic = new RankTraffic(layout);
    boolean sampled = !settings.testFanouts().isEmpty();
    long[] rows = new long[ranks];
    if (sampled) {
      StepSeconds drawn = new StepSeconds(layout);
      RankTraffic moved = new RankTraffic(layout);
      double share =
          epoch.drawEvaluation((_, _, ofRanks) ->
              batches(ofRanks.stream().map(List::getFirst).toList(), rows, drawn, moved));
      seconds.addAll(drawn, 1 / share);
      traffic.add(moved, 1 / share);
    } else {
      Arrays.setAll(rows, r -> distribution.count(r / c));
      layerwise(seconds, traffic);
    }
    seconds.loss(rows, rows, plan.dataset().outputs());
    if (plan.dataset().links() != null) {
      long[] pairs = new long[ranks];
      Arrays.fill(pairs, RankLinks.scoringPairs(plan.dataset()) * c / ranks);
      seconds.pairs(
          pairs, plan.training().network().decoder(), plan.dataset().outputs(), Backward.NONE);
    }
    int columns = sampled ? 1 : c;
    for (int j = 0; j < columns; j++) {
      int column = j;
      int[] members = IntStream.range(0, ranks).filter(r -> r % columns == column).toArray();
      double scores = new ScoreTraffic(layout, traffic).add(members, plan.dataset());
      if (j == 0) {
        seconds.add(Phase.REDUCE, scores);
      }
    }
    return new PassCost(seconds.phases(), traffic);
  }

  private boolean readsSparse(int l) {
    return l == 0 && epoch.input() instanceof Features.Sparse;
  }

  /// Rows that a rank reads for a few of its own.
  private final class Read {
    private final long[] rowsOfOwner = new long[blocks];
    private final long[] featuresOfOwner = new long[blocks];
    private long ownFeatures;

    void add(int vertex) {
      int owner = distribution.owner(vertex);
      rowsOfOwner[owner]++;
      featuresOfOwner[owner] += epoch.featureEntries(vertex);
    }

    long rows() {
      return Arrays.stream(rowsOfOwner).sum();
    }

    long features() {
      return Arrays.stream(featuresOfOwner).sum();
    }
  }

  private void layerwise(StepSeconds seconds, RankTraffic traffic) {
    InferencePlan inference = plan.evaluation();
    List<GraphLayer> layers = inference.network().layers();
    CsrMatrix a = epoch.rows();
    int[] seen = new int[distribution.rows()];
    int mark = 0;
    for (int from = 0; from < distribution.largest(); from += inference.rowsAtATime()) {
      long[] targets = new long[ranks];
      long[] entries = new long[ranks];
      Read[] reads = new Read[ranks];
      for (int r = 0; r < ranks; r++) {
        if (r % c > 0) {
          // All of a process row do the same.
          targets[r] = targets[r - 1];
          entries[r] = entries[r - 1];
          reads[r] = reads[r - 1];
          continue;
        }
        int begin = Math.min(distribution.end(r / c), distribution.begin(r / c) + from);
        int end = Math.min(distribution.end(r / c), begin + inference.rowsAtATime());
        targets[r] = (long) end - begin;
        reads[r] = new Read();
        mark++;
        for (int v = begin; v < end; v++) {
          seen[v] = mark;
          reads[r].add(v);
        }
        reads[r].ownFeatures = reads[r].features();
        for (long e = a.rowPointer(begin); e < a.rowPointer(end); e++) {
          int u = a.column(e);
          if (seen[u] != mark) {
            seen[u] = mark;
            reads[r].add(u);
          }
        }
        entries[r] = a.rowPointer(end) - a.rowPointer(begin);
      }
      for (int l = 0; l < layers.size(); l++) {
        layer(l, layers.get(l), targets, entries, reads, seconds, traffic);
      }
    }
  }

  private void layer(
      int l,
      GraphLayer layer,
      long[] targets,
      long[] entries,
      Read[] reads,
      StepSeconds seconds,
      RankTraffic traffic) {
    // If the first layer reads its input once, it transforms own rows, and fetches results.
    boolean once = l == 0 && plan.evaluation().inputOnce();
    long[] sources = once ? targets : Arrays.stream(reads).mapToLong(Read::rows).toArray();
    long[] inputEntries =
        Arrays.stream(reads).mapToLong(read -> once ? read.ownFeatures : read.features()).toArray();
    new RankProducts(targets, sources, entries, readsSparse(l) ? inputEntries : null)
        .add(seconds, layer, Backward.NONE);
    seconds.stream(Phase.OTHER, StepSeconds.times(targets, 2L * layer.out() * Float.BYTES));
    // A rank that is alone reads the rows of a dense matrix where they are.
    boolean sparse = readsSparse(l) && !once;
    NetworkSettings network = plan.training().network();
    if (network.seesGraph() && (blocks > 1 || sparse || network.seesEdges())) {
      seconds.transpose(entries);
      fetch(sparse, plan.evaluation().fetchedWidth(l), reads, seconds, traffic);
    }
  }

  /// Adds fetching the rows of the input of a layer, including remote ones.
  private void fetch(
      boolean sparse, int width, Read[] reads, StepSeconds seconds, RankTraffic traffic) {
    long[] rows = new long[ranks];
    long entries = 0;
    RankTraffic moved = new RankTraffic(layout);
    for (int r = 0; r < ranks; r++) {
      Read read = reads[r];
      rows[r] = read.rows();
      entries += read.features();
      for (int i = 0; i < blocks && blocks > 1; i++) {
        int owner = i * c + r % c;
        long asked = read.rowsOfOwner[i];
        moved.block(r, owner, Long.BYTES);
        moved.block(r, owner, asked * Integer.BYTES);
        if (settings.partitioned() && settings.testFanouts().isEmpty()) {
          // Its own rows of the graph, which it does not request.
          moved.block(r, owner, Long.BYTES);
        }
        if (sparse && epoch.input() instanceof Features.Sparse x) {
          MinibatchCost.sparseRows(x.x(), asked, read.featuresOfOwner[i], owner, r, moved);
        } else {
          moved.block(owner, r, settings.wire().bytes(asked, width));
        }
      }
    }
    long rowBytes =
        sparse && epoch.input() instanceof Features.Sparse x
            ? entries * FetchedRows.entryBytes(x.x()) / Math.max(1, Arrays.stream(rows).sum())
            : (long) width * Float.BYTES;
    seconds.gather(Phase.FETCH, rows, Math.toIntExact(rowBytes));
    seconds.add(Phase.FETCH, moved.copySeconds() + moved.linkSeconds());
    traffic.add(moved, 1);
  }

  /// One batch of each rank that has one.
  private void batches(
      List<@Nullable SampledBatch> batches, long[] rows, StepSeconds seconds, RankTraffic traffic) {
    Read[] reads = new Read[ranks];
    for (int r = 0; r < ranks; r++) {
      SampledBatch batch = batches.get(r);
      reads[r] = new Read();
      if (batch != null) {
        rows[r] += batch.seeds().length;
        for (int v : batch.inputs()) {
          reads[r].add(v);
        }
      }
    }
    long[] inputEntries = Arrays.stream(reads).mapToLong(Read::features).toArray();
    List<GraphLayer> layers = plan.network().layers();
    fetch(readsSparse(0), layers.getFirst().in(), reads, seconds, traffic);
    for (int l = 0; l < layers.size(); l++) {
      int layer = l;
      long[] entries = sizes(batches, layer, block -> block.matrix().nnz());
      new RankProducts(
              sizes(batches, layer, SampledBlock::destinations),
              sizes(batches, layer, SampledBlock::computed),
              entries,
              readsSparse(l) ? inputEntries : null)
          .add(seconds, layers.get(l), Backward.NONE);
      seconds.sampling(entries);
    }
  }

  private interface OfBlock {
    long of(SampledBlock block);
  }

  private static long[] sizes(List<@Nullable SampledBatch> batches, int l, OfBlock number) {
    return batches.stream()
        .mapToLong(batch -> batch == null ? 0 : number.of(batch.blocks().get(l)))
        .toArray();
  }
}
