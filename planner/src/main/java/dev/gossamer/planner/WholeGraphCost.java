package dev.gossamer.planner;

import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.ExchangeVolume;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.fullgraph.NetworkPlan;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.hop.HopFeatures;
import dev.gossamer.gnn.link.RankLinks;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.LayerProduct;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/// The cost of an epoch on the whole graph, from the products of its layers
/// ([GraphLayer#products]), counted rows, entries and bytes, and measured rates.
///
/// With `n_r` rows and `m_r` entries of rank `r`, and `max` over the ranks and nodes as in
/// [RankLayout#slowest]:
///
/// | phase | seconds |
/// |---|---|
/// | matmul | `sum over dense products of max matmul(n_r, in, out)` |
/// | spmm | `sum over aggregations of max spmm(n_r, m_r, f)`, tile by tile in the oblivious
/// exchange, with an additional pass over the rows per further tile |
/// | exchange | `sum over aggregations of pack + copy + max(0, link - own tile)` |
/// | reduce | partial products for `c > 1`, the gradients, the loss |
/// | other | loss, sums of gradients by column, dropout of the input, optimizer |
///
/// Dropout of a layer's output counts in the phase of the product that computes it.
///
/// `pack` gathers the rows to send. `copy` is copying by cores inside a node, which no overlap
/// hides. `link` is the time of the busiest link between nodes, in either direction: in the
/// sparsity-aware exchange from [ExchangeVolume] (SA, section 4), in the oblivious one per stage
/// `latency ceil(log2 p) + bytes / bandwidth` for a broadcast (SA, section 4.1; an imitated network
/// repeats the bytes in each round of its binomial tree). Without overlap the own tile hides
/// nothing. Broadcasts overlap with the previous tile (MG, section 4.3).
public final class WholeGraphCost {
  private final RankLayout layout;
  private final RankPlan plan;
  private final NetworkTraining training;
  private final NetworkSettings settings;
  private final NetworkPlan network;
  private final StepSeconds seconds;
  private final RankTraffic traffic;
  private final int ranks;
  private final int c;
  private final int stages;
  private final long[] rows;
  private final long[] ownTile;
  private final long[] otherTiles;
  private final long[] featureEntries;

  private WholeGraphCost(RankLayout layout, RankPlan plan, NetworkTraining training) {
    this.layout = layout;
    this.plan = plan;
    this.training = training;
    settings = training.network();
    network = plan.network(0, settings);
    seconds = new StepSeconds(layout);
    traffic = new RankTraffic(layout);
    ranks = plan.ranks();
    c = plan.strategy().replication();
    RowDistribution blocks = plan.placement().distribution();
    rows = ofRanks(r -> blocks.count(r / c));
    stages = blocks.blocks() / c;
    ownTile = ofRanks(r -> r / c / stages == r % c ? tile(r / c, r / c) : 0);
    otherTiles =
        ofRanks(r ->
            IntStream.range(r % c * stages, (r % c + 1) * stages)
                .filter(q -> q != r / c)
                .mapToLong(q -> tile(r / c, q))
                .sum());
    featureEntries = ofRanks(r -> featureEntries(r / c));
  }

  /// Computes the cost of an epoch.
  ///
  /// @param layout where the plan's ranks are
  /// @param plan what ranks exchange
  /// @param training the network and the optimizer
  /// @return the cost of an epoch, without the one-time cost before the first
  public static EpochCost of(RankLayout layout, RankPlan plan, NetworkTraining training) {
    return new WholeGraphCost(layout, plan, training).epoch();
  }

  /// Computes the cost of a run: an epoch, an evaluation, which is a forward pass, and the one-time
  /// cost of computing `Â X` where it is kept and of announcing which rows each rank needs.
  ///
  /// @param layout where the plan's ranks are
  /// @param plan what ranks exchange
  /// @param training the network and the optimizer
  /// @return the cost of a run of one epoch
  public static RunCost ofRun(RankLayout layout, RankPlan plan, NetworkTraining training) {
    return RunCost.of(
        of(layout, plan, training),
        new WholeGraphCost(layout, plan, training).evaluation(),
        new WholeGraphCost(layout, plan, training).once());
  }

  /// Entries of a tile or of its mirror image, whichever has more: what a rank multiplies by in one
  /// direction at most.
  private long tile(int i, int q) {
    return Math.max(plan.balance().entries(i, q), plan.balance().entries(q, i))
        + (i == q && settings.selfLoops() ? rows[i * c] : 0);
  }

  private long[] ofRanks(IntToLongFunction number) {
    return IntStream.range(0, ranks).mapToLong(number).toArray();
  }

  private GraphData data() {
    return plan.graph().data();
  }

  private long featureEntries(int block) {
    return input() instanceof Features.Sparse sparse
        ? IntStream.of(plan.placement().members(block)).mapToLong(sparse.x()::rowLength).sum()
        : 0;
  }

  /// Kind and width of what the first layer reads.
  private Features input() {
    return settings.input(data().features());
  }

  /// Vertices of a block that training learns from.
  private long labelled(int block) {
    return IntStream.of(plan.placement().members(block))
        .filter(v -> data().isLabelled(v, Split.TRAIN))
        .count();
  }

  private EpochCost epoch() {
    dropInput();
    dropEdges();
    List<GraphLayer> layers = network.network().layers();
    for (int l = 0; l < layers.size(); l++) {
      GraphLayer layer = layers.get(l);
      boolean sparse = l == 0 && input() instanceof Features.Sparse;
      products(layer, sparse, l == 0 ? Backward.PARAMETERS : Backward.INPUT);
      seconds.stream(Phase.OTHER, StepSeconds.times(rows, (long) layer.out() * Float.BYTES));
      if (l + 1 < layers.size() && settings.dropout() > 0) {
        seconds.dropout(StepSeconds.last(layer), StepSeconds.times(rows, layer.out()));
      }
    }
    seconds.loss(ofRanks(r -> labelled(r / c)), rows, data().outputs());
    if (data().links() != null) {
      pairs(RankLinks.trainingPairs(data()), Backward.INPUT);
    }
    for (int j = 0; j < c; j++) {
      int[] members = column(j);
      RankTraffic gradients = new RankTraffic(layout);
      gradients.allReduce(members, network.network().layout().count(), Float.BYTES);
      gradients.allReduce(members, 1, Double.BYTES);
      // All columns reduce at the same time.
      if (j == 0) {
        seconds.add(Phase.REDUCE, gradients.allReduceSeconds(members));
      }
      traffic.add(gradients, 1);
    }
    seconds.optimizer(training.rule(), network.network().layout());
    EpochCost.Count count =
        data().links() == null || ranks == 1 ? EpochCost.Count.EXACT : EpochCost.Count.AT_LEAST;
    return new EpochCost(1, seconds.phases(), traffic, count, 1);
  }

  private void products(GraphLayer layer, boolean sparse, Backward backward) {
    for (LayerProduct product : layer.products(backward)) {
      switch (product) {
        case LayerProduct.Dense dense -> multiply(dense, sparse);
        case LayerProduct.Aggregated aggregated -> aggregate(aggregated);
        case LayerProduct.Attended attended -> attend(attended, backward);
        case LayerProduct.AlongEdges sums -> sum(sums, backward);
        case LayerProduct.Elementwise passes -> seconds.elementwise(rows, passes);
        case LayerProduct.Summed summed -> addUp(summed.numbers());
      }
    }
  }

  /// Adds sums of numbers over the ranks of each column, all columns at the same time.
  private void addUp(int numbers) {
    for (int j = 0; j < c; j++) {
      double needed = new ScoreTraffic(layout, traffic).addUp(column(j), numbers);
      if (j == 0) {
        seconds.add(Phase.REDUCE, needed);
      }
    }
  }

  /// Ranks that have each block once.
  private int[] column(int j) {
    return IntStream.range(0, ranks / c).map(i -> i * c + j).toArray();
  }

  /// Adds what pairs of edges take, which ranks share evenly.
  private void pairs(long all, Backward backward) {
    seconds.pairs(ofRanks(_ -> all * c / ranks), settings.decoder(), data().outputs(), backward);
  }

  private PassCost evaluation() {
    List<GraphLayer> layers = network.network().layers();
    for (int l = 0; l < layers.size(); l++) {
      boolean sparse = l == 0 && input() instanceof Features.Sparse;
      products(layers.get(l), sparse, Backward.NONE);
    }
    seconds.loss(rows, rows, data().outputs());
    if (data().links() != null) {
      pairs(RankLinks.scoringPairs(data()), Backward.NONE);
    }
    for (int j = 0; j < c; j++) {
      double scores = new ScoreTraffic(layout, traffic).add(column(j), data());
      if (j == 0) {
        seconds.add(Phase.REDUCE, scores);
      }
    }
    return new PassCost(seconds.phases(), traffic);
  }

  /// {@return the cost of the hops of the features, which are computed once ([HopFeatures])}
  ///
  /// @param layout where the plan's ranks are
  /// @param plan what ranks exchange
  /// @param training the network and the optimizer
  static PassCost ofHops(RankLayout layout, RankPlan plan, NetworkTraining training) {
    WholeGraphCost cost = new WholeGraphCost(layout, plan, training);
    cost.addHops();
    return new PassCost(cost.seconds.phases(), cost.traffic);
  }

  private void addHops() {
    int width = data().features().width();
    for (int k = 0; k < settings.precomputed().count(); k++) {
      for (int begin = 0; begin < width; begin += HopFeatures.COLUMNS) {
        multiply(plan.forward(), Math.min(HopFeatures.COLUMNS, width - begin));
      }
    }
    boolean aware = plan.strategy().kind() == Kind.SPARSITY_AWARE;
    if (ranks > 1 && !settings.precomputed().isNone() && aware) {
      tell(plan.forward());
    }
  }

  private PassCost once() {
    addHops();
    if (network.aggregatesInput()) {
      aggregate(new LayerProduct.Aggregated(data().features().width(), false));
    }
    boolean aware = settings.seesEdges() || plan.strategy().kind() == Kind.SPARSITY_AWARE;
    if (ranks > 1 && settings.seesGraph() && aware) {
      tell(plan.forward());
      if (plan.backward() != plan.forward() && !settings.seesEdges()) {
        tell(plan.backward());
      }
    }
    return new PassCost(seconds.phases(), traffic);
  }

  /// How many rows each rank needs of each other, and which.
  private void tell(ExchangeVolume volume) {
    RankTraffic told = new RankTraffic(layout);
    for (int receiver = 0; receiver < ranks; receiver++) {
      for (int sender = receiver % c; sender < ranks; sender += c) {
        told.block(receiver, sender, Long.BYTES);
        told.block(receiver, sender, volume.rowsBetween(receiver, sender) * Integer.BYTES);
      }
    }
    seconds.add(Phase.EXCHANGE, told.copySeconds() + told.linkSeconds());
    traffic.add(told, 1);
  }

  private void dropInput() {
    if (settings.inputDropout() == 0) {
      return;
    }
    if (input() instanceof Features.Dense dense) {
      // Into memory of its own: the features themselves stay.
      seconds.stream(Phase.OTHER, StepSeconds.times(rows, 2L * Float.BYTES * dense.width()));
    }
    seconds.inputDropout(input(), rows, featureEntries);
  }

  private void dropEdges() {
    if (settings.edgeDropout() == 0) {
      return;
    }
    boolean one = settings.seesEdges() || settings.propagation(data()).isSymmetric();
    for (int matrix = 0; matrix < (one ? 1 : 2); matrix++) {
      seconds.edgeDropout(ofRanks(r -> ownTile[r] + otherTiles[r]));
    }
  }

  private void multiply(LayerProduct.Dense product, boolean sparse) {
    if (sparse && product.ofInput()) {
      seconds.spmm(Phase.SPMM, rows, featureEntries, product.out());
    } else {
      seconds.dense(product.rows() == LayerProduct.Rows.EDGES ? edges() : rows, product);
    }
  }

  private void aggregate(LayerProduct.Aggregated product) {
    if (!settings.seesGraph()) {
      return;
    }
    multiply(product.backward() ? plan.backward() : plan.forward(), product.width());
  }

  /// A product by the graph.
  private void multiply(ExchangeVolume volume, int width) {
    if (ranks == 1) {
      seconds.spmm(Phase.SPMM, rows, ownTile, width);
      return;
    }
    if (plan.strategy().kind() == Kind.OBLIVIOUS) {
      broadcast(volume, width, multiplyInStages(width));
    } else {
      double own = multiplyOnce(width);
      exchange(rowsMoved(volume, width, false), volume::rowsSent, width, own);
    }
    reduce(width);
  }

  /// The own tile and one of all other rows, which is added to it; for `c > 1` a tile in each
  /// stage, of which the first is added to nothing, but no rank waits between them.
  ///
  /// @return seconds of the own tile
  private double multiplyOnce(int width) {
    long[] allTiles = ofRanks(r -> ownTile[r] + otherTiles[r]);
    double all = seconds.spmm(Phase.SPMM, rows, allTiles, width);
    int others = c > 1 ? stages - 1 : 1;
    addTo(ofRanks(r -> Math.min(others * rows[r], otherTiles[r])), width);
    return Math.min(all, seconds.spmmSeconds(rows, ownTile, width));
  }

  /// A tile in each stage, which everybody begins together: the fullest tile of each counts (MG,
  /// section 5.2).
  ///
  /// @return seconds of all stages
  private double multiplyInStages(int width) {
    double all = 0;
    for (int k = 0; k < stages; k++) {
      int stage = k;
      long[] tiles = ofRanks(r -> tile(r / c, r % c * stages + stage));
      all += seconds.spmm(Phase.SPMM, rows, tiles, width);
      if (k > 0) {
        all += addTo(ofRanks(r -> Math.min(rows[r], tiles[r])), width);
      }
    }
    return all;
  }

  /// Rows of a product that are read and written once more.
  private double addTo(long[] products, int width) {
    return seconds.stream(Phase.SPMM, StepSeconds.times(products, 2L * width * Float.BYTES));
  }

  /// Messages of a gather, or back the same way.
  private RankTraffic rowsMoved(ExchangeVolume volume, int width, boolean back) {
    RankTraffic moved = new RankTraffic(layout);
    RowFormat wire = plan.strategy().wire();
    for (int receiver = 0; receiver < ranks; receiver++) {
      for (int sender = receiver % c; sender < ranks; sender += c) {
        long bytes = wire.bytes(volume.rowsBetween(receiver, sender), width);
        moved.block(
            back ? receiver : sender, back ? sender : receiver, bytes, volume.blocks(width));
      }
    }
    return moved;
  }

  /// @param hidden seconds that the links may work by themselves
  private void exchange(RankTraffic moved, IntToLongFunction packed, int width, double hidden) {
    int rowBytes = (int) plan.strategy().wire().bytes(1, width);
    seconds.gather(Phase.EXCHANGE, ofRanks(packed), rowBytes);
    double behind = plan.strategy().overlap() ? hidden : 0;
    seconds.add(Phase.EXCHANGE, moved.copySeconds() + Math.max(0, moved.linkSeconds() - behind));
    traffic.add(moved, 1);
  }

  /// Stage by stage, the rows of a block to all of the process column.
  private void broadcast(ExchangeVolume volume, int width, double computing) {
    RankTraffic moved = rowsMoved(volume, width, false);
    traffic.add(moved, 1);
    seconds.add(Phase.EXCHANGE, moved.copySeconds());
    RowDistribution distribution = plan.placement().distribution();
    boolean linked = layout.imitated() != null || layout.nodes() > 1;
    if (!linked) {
      return;
    }
    int rounds = RankTraffic.rounds(distribution.blocks());
    long messages = rounds * volume.blocks(width);
    double slowest = 0;
    for (int j = 0; j < c; j++) {
      double column = 0;
      for (int q = j * stages; q < (j + 1) * stages; q++) {
        long bytes = plan.strategy().wire().bytes(distribution.count(q), width);
        int copies = layout.imitated() == null ? 1 : rounds;
        column += bytes == 0 ? 0 : moved.network().seconds(messages, (double) bytes * copies);
      }
      slowest = Math.max(slowest, column);
    }
    double first = slowest / stages;
    double behind = plan.strategy().overlap() ? computing * (stages - 1) / stages : 0;
    seconds.add(Phase.EXCHANGE, first + Math.max(0, slowest - first - behind));
  }

  /// Partial products are added up over the process row.
  private void reduce(int width) {
    if (c == 1) {
      return;
    }
    double slowest = 0;
    RankTraffic all = new RankTraffic(layout);
    for (int i = 0; i < ranks / c; i++) {
      int first = i * c;
      int[] members = IntStream.range(first, first + c).toArray();
      all.allReduce(members, rows[first] * width, Float.BYTES);
    }
    for (int i = 0; i < ranks / c; i++) {
      int[] members = IntStream.range(i * c, (i + 1) * c).toArray();
      slowest = Math.max(slowest, all.allReduceSeconds(members));
    }
    seconds.add(Phase.REDUCE, slowest);
    traffic.add(all, 1);
  }

  private void attend(LayerProduct.Attended product, Backward backward) {
    seconds.attention(rows, edges(), product, backward);
    exchangeOnce(product.width(), backward != Backward.NONE);
  }

  private void sum(LayerProduct.AlongEdges product, Backward backward) {
    seconds.alongEdges(rows, edges(), product, backward);
    exchangeOnce(product.width(), product.returns());
  }

  /// Edges of each rank.
  private long[] edges() {
    return ofRanks(r -> plan.balance().entries(r / c) + (settings.selfLoops() ? rows[r] : 0));
  }

  /// Adds sending the rows of sources forwards, and their gradients backwards if they return.
  private void exchangeOnce(int width, boolean returns) {
    if (ranks > 1) {
      ExchangeVolume volume = plan.forward();
      exchange(rowsMoved(volume, width, false), volume::rowsSent, width, 0);
      if (returns) {
        exchange(rowsMoved(volume, width, true), volume::rowsReceived, width, 0);
      }
    }
  }
}
