package dev.gossamer.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Traffic;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fullgraph.FullGraphTrainer;
import dev.gossamer.gnn.fullgraph.GraphProducts;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.link.LinkComparison;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.GraphPlace;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.minibatch.MinibatchTrainer;
import dev.gossamer.gnn.objective.LinkObjective;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphDataBuilder;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Negatives;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.Backward;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.LayerProduct;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.EpochTrainer;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What is planned is what threads count, rank by rank.
class EpochCostTest {
  private static final int N = 203;
  private static final int WIDTH = 7;

  private static GraphData graph(boolean directed, boolean sparse) {
    Random random = new Random(3);
    int[] from = IntStream.range(0, 6 * N).map(e -> e / 6).toArray();
    int[] to =
        IntStream.of(from)
            .map(v -> random.nextInt(4) == 0 ? random.nextInt(9) : near(random, v))
            .toArray();
    float[][] x = new float[N][WIDTH];
    for (float[] row : x) {
      row[random.nextInt(WIDTH)] = 1;
    }
    int[] labels = IntStream.range(0, N).map(v -> v % 3).toArray();
    Split[] split =
        IntStream.range(0, N)
            .mapToObj(v -> v % 3 == 1 ? Split.TEST : v % 7 == 0 ? Split.VALIDATION : Split.TRAIN)
            .toArray(Split[]::new);
    GraphDataBuilder builder =
        GraphData.builder(N)
            .name("small")
            .edges(from, to)
            .features(x)
            .labels(labels)
            .classNames(List.of("a", "b", "c"))
            .split(split);
    GraphData data = (directed ? builder.directed() : builder).build();
    if (!sparse) {
      return data;
    }
    long[] pointers = LongStream.rangeClosed(0, N).map(v -> v + v / 2).toArray();
    int[] columns = new int[(int) pointers[N]];
    for (int v = 0; v < N; v++) {
      for (int e = (int) pointers[v]; e < pointers[v + 1]; e++) {
        columns[e] = e - (int) pointers[v] + v % 4;
      }
    }
    return data.withFeatures(
        new Features.Sparse(CsrMatrix.of(Arena.ofAuto(), WIDTH, pointers, columns, null)));
  }

  private static int near(Random random, int v) {
    return Math.floorMod(v + random.nextInt(41) - 20, N);
  }

  private static NetworkTraining training(LayerKind kind, Normalisation normalisation) {
    return training(kind, normalisation, Finish.USUAL);
  }

  private static NetworkTraining training(
      LayerKind kind, Normalisation normalisation, Finish finish) {
    NetworkSettings settings =
        NetworkSettings.of(kind)
            .withHidden(kind instanceof Gcnii ? List.of(8, 8, 8) : List.of(8, 4))
            .withGraph(normalisation, kind.usualSelfLoops())
            .withFinish(finish);
    return new NetworkTraining(settings, new OptimizerRule.Adam(0), 1);
  }

  /// The graph as the layers of a network read it.
  private static GraphData seen(NetworkTraining training, boolean directed, boolean sparse) {
    LayerKind kind = training.network().kind();
    GraphData data = graph(directed, sparse);
    return kind.seen(Arena.ofAuto(), withEdgeFeatures(data, kind.edgeFeatures()));
  }

  /// The same with features of edges of 1; without any if there are none.
  private static GraphData withEdgeFeatures(GraphData data, int width) {
    if (width == 0) {
      return data;
    }
    DenseMatrix x = DenseMatrix.allocate(Arena.ofAuto(), data.adjacency().nnz(), width);
    x.fill(1f);
    return data.withEdgeFeatures(new EdgeFeatures(x, List.of()));
  }

  private static NetworkTraining on(NetworkTraining training, GraphData data) {
    return new NetworkTraining(training.network().on(data), training.rule(), training.seed());
  }

  private static RankLayout layout(int ranks) {
    return new RankLayout(FlatRates.cluster(1, 1), ranks);
  }

  /// What each rank counts.
  ///
  /// @param once until its trainer is there
  /// @param epoch in its first epoch
  /// @param evaluation in an evaluation
  private record Counted(
      List<Traffic.Snapshot> once,
      List<Traffic.Snapshot> epoch,
      List<Traffic.Snapshot> evaluation) {}

  private static Counted counted(int ranks, Function<RankWorld, EpochTrainer> trainers) {
    Traffic.Snapshot[][] counts = new Traffic.Snapshot[3][ranks];
    ThreadRanks.run(
        ranks,
        world -> {
          try (Workers workers = new Workers(1);
              EpochTrainer trainer =
                  trainers.apply(new RankWorld(world, new Kernels(workers, Matmul.java())))) {
            counts[0][world.rank()] = world.traffic().snapshot();
            trainer.train(0, 0.01);
            counts[1][world.rank()] = trainer.sent();
            Traffic.Snapshot before = world.traffic().snapshot();
            trainer.evaluate();
            counts[2][world.rank()] = world.traffic().snapshot().minus(before);
          }
        });
    return new Counted(List.of(counts[0]), List.of(counts[1]), List.of(counts[2]));
  }

  private record RankWorld(dev.gossamer.comm.Communicator world, Kernels kernels) {}

  private static void assertSame(RankTraffic planned, List<Traffic.Snapshot> counts) {
    assertThat(planned.bytesSent())
        .isEqualTo(counts.stream().map(Traffic.Snapshot::totalBytes).toList());
    assertThat(planned.messagesSent())
        .isEqualTo(counts.stream().map(Traffic.Snapshot::totalMessages).toList());
    long received = planned.bytesReceived().stream().mapToLong(Long::longValue).sum();
    assertThat(received).isEqualTo(planned.totalBytes());
  }

  /// Once, ranks also agree on a few numbers: how many train, who is in which group.
  private static void assertSame(RunCost cost, Counted counts) {
    assertSame(cost.epoch().traffic(), counts.epoch());
    assertSame(cost.evaluation().traffic(), counts.evaluation());
    int ranks = counts.once().size();
    long once = counts.once().stream().mapToLong(Traffic.Snapshot::totalBytes).sum();
    long planned = cost.once().traffic().totalBytes();
    assertThat(once - planned).isBetween(0L, 10L * Long.BYTES * ranks * ranks);
    assertThat(cost.evaluation().seconds()).isPositive();
  }

  static Stream<Arguments> wholeGraphs() {
    return Stream.of(
        Arguments.of(new Gcn(), Kind.SPARSITY_AWARE, 2, 1, RowFormat.FLOAT32, false, false),
        Arguments.of(new Gcn(), Kind.SPARSITY_AWARE, 4, 1, RowFormat.BF16, true, true),
        Arguments.of(new Gcn(), Kind.SPARSITY_AWARE, 4, 2, RowFormat.FLOAT32, true, false),
        Arguments.of(new Gcn(), Kind.OBLIVIOUS, 2, 1, RowFormat.FLOAT32, false, true),
        Arguments.of(new Gcn(), Kind.OBLIVIOUS, 4, 1, RowFormat.FLOAT32, true, false),
        Arguments.of(new Gcn(), Kind.OBLIVIOUS, 4, 2, RowFormat.BF16, false, false),
        Arguments.of(new Gcn(), Kind.OBLIVIOUS, 8, 2, RowFormat.FLOAT32, false, false),
        Arguments.of(new Sage(), Kind.SPARSITY_AWARE, 4, 1, RowFormat.FLOAT32, false, true),
        Arguments.of(new Sage(), Kind.SPARSITY_AWARE, 4, 2, RowFormat.FLOAT32, true, false),
        Arguments.of(new Gat(), Kind.SPARSITY_AWARE, 4, 1, RowFormat.FLOAT32, true, false),
        Arguments.of(
            new Gat(2, Variant.V2, 0), Kind.SPARSITY_AWARE, 4, 1, RowFormat.FLOAT32, true, true),
        Arguments.of(
            new Gat(2, Variant.V2, 0, 3), Kind.SPARSITY_AWARE, 4, 1, RowFormat.BF16, true, false),
        Arguments.of(new Gin(3), Kind.SPARSITY_AWARE, 4, 1, RowFormat.FLOAT32, true, false),
        Arguments.of(new Gin(1), Kind.SPARSITY_AWARE, 3, 1, RowFormat.BF16, false, true),
        Arguments.of(new Rgcn(), Kind.SPARSITY_AWARE, 4, 1, RowFormat.FLOAT32, true, false),
        Arguments.of(new Rsage(), Kind.SPARSITY_AWARE, 3, 1, RowFormat.FLOAT32, true, true),
        Arguments.of(new Rgcn(1), Kind.SPARSITY_AWARE, 3, 1, RowFormat.BF16, false, true),
        Arguments.of(new Gin(), Kind.SPARSITY_AWARE, 4, 2, RowFormat.FLOAT32, true, false),
        Arguments.of(new Appnp(3, 0.1), Kind.SPARSITY_AWARE, 4, 1, RowFormat.BF16, false, true),
        Arguments.of(new Appnp(2, 0.1), Kind.OBLIVIOUS, 4, 2, RowFormat.FLOAT32, true, false),
        Arguments.of(new Gcnii(), Kind.SPARSITY_AWARE, 4, 2, RowFormat.FLOAT32, true, false),
        Arguments.of(new Gcnii(), Kind.OBLIVIOUS, 2, 1, RowFormat.FLOAT32, false, true),
        Arguments.of(new Sgc(3), Kind.SPARSITY_AWARE, 4, 1, RowFormat.BF16, true, true),
        Arguments.of(new Sgc(1), Kind.OBLIVIOUS, 4, 1, RowFormat.FLOAT32, false, false),
        Arguments.of(new Sign(2), Kind.SPARSITY_AWARE, 4, 2, RowFormat.FLOAT32, false, true),
        Arguments.of(new Sign(2), Kind.OBLIVIOUS, 4, 2, RowFormat.FLOAT32, true, false),
        Arguments.of(new Mlp(), Kind.SPARSITY_AWARE, 4, 1, RowFormat.FLOAT32, false, false));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("wholeGraphs")
  void wholeGraphsSendWhatIsPlanned(
      LayerKind kind,
      Kind exchange,
      int ranks,
      int c,
      RowFormat wire,
      boolean directed,
      boolean sparse) {
    ExchangeStrategy strategy = new ExchangeStrategy(exchange, c, true, wire);
    assertSendsWhatIsPlanned(
        strategy, training(kind, kind.usualNormalisation()), ranks, directed, sparse);
    if (!kind.finishes()) {
      return;
    }
    Finish batches = new Finish(Activation.Function.GELU, Norm.BATCH, false);
    assertSendsWhatIsPlanned(
        strategy, training(kind, kind.usualNormalisation(), batches), ranks, directed, sparse);
    if (kind.sight() == LayerKind.Sight.NONE) {
      return;
    }
    Finish jumps = batches.withJumping(Jumping.CONCAT);
    assertSendsWhatIsPlanned(
        strategy, training(kind, kind.usualNormalisation(), jumps), ranks, directed, sparse);
    Finish projects = batches.withInputProjection(true).withFeedForward(true);
    assertSendsWhatIsPlanned(
        strategy, training(kind, kind.usualNormalisation(), projects), ranks, directed, sparse);
  }

  private static void assertSendsWhatIsPlanned(
      ExchangeStrategy strategy,
      NetworkTraining given,
      int ranks,
      boolean directed,
      boolean sparse) {
    int c = strategy.replication();
    try (GraphData data = seen(given, directed, sparse)) {
      NetworkTraining training = on(given, data);
      PlacedGraph placed = new PlacedGraph(data, Placement.random(N, ranks / c, 5));
      RankPlan plan = RankPlan.of(placed, strategy);
      RunCost run = WholeGraphCost.ofRun(layout(ranks), plan, training);
      assertSame(
          run,
          counted(
              ranks,
              on -> new FullGraphTrainer(on.world(), placed, strategy, training, on.kernels())));
      assertThat(run.epoch().count()).isEqualTo(EpochCost.Count.EXACT);
      assertThat(run.epoch().seconds()).isPositive();
    }
  }

  /// Remote rows that travel three columns at a time, as where memory is short.
  @Tag("slow")
  @ParameterizedTest
  @EnumSource(Kind.class)
  void blocksOfColumnsAreMessagesOfTheirOwn(Kind exchange) {
    ExchangeStrategy strategy = new ExchangeStrategy(exchange, 2, true);
    NetworkTraining training = training(new Gcn(), Normalisation.SYMMETRIC);
    try (GraphData data = graph(false, true)) {
      PlacedGraph placed = new PlacedGraph(data, Placement.random(N, 2, 5));
      GraphProducts products = GraphProducts.usual(strategy).withColumns(3);
      RankPlan plan = RankPlan.of(placed, strategy).with(products);
      RunCost cost = WholeGraphCost.ofRun(layout(4), plan, training);
      assertThat(cost.epoch().traffic().totalMessages())
          .isGreaterThan(
              WholeGraphCost.of(layout(4), RankPlan.of(placed, strategy), training)
                  .traffic()
                  .totalMessages());
      assertSame(
          cost,
          counted(
              4, on -> new FullGraphTrainer(on.world(), placed, products, training, on.kernels())));
    }
  }

  static Stream<Arguments> minibatches() {
    MinibatchSettings sage =
        MinibatchSettings.of(Sampler.sage(4, 3, 2)).withBatchSize(24).withBulk(2);
    MinibatchSettings none = MinibatchSettings.of(Sampler.none(3)).withBatchSize(24).withBulk(2);
    MinibatchSettings ladies =
        MinibatchSettings.of(Sampler.ladies(20, 20, 20)).withBatchSize(24).withBulk(3);
    return Stream.of(
        Arguments.of(new Sage(), sage, 1, false),
        Arguments.of(new Sage(), sage, 2, false),
        Arguments.of(new Sage(), sage.withOverlap(Overlap.OFF), 4, true),
        Arguments.of(new Sage(), sage.withCacheBytes(1000), 4, false),
        Arguments.of(new Sage(), sage.withCacheBytes(900), 3, true),
        Arguments.of(new Sage(), sage.withOwnBatches(null), 3, false),
        Arguments.of(new Sage(), sage.withTestFanouts(List.of(4, 3, 2)), 4, true),
        Arguments.of(new Sage(), sage.withGraph(GraphPlace.PARTITIONED), 4, true),
        Arguments.of(
            new Gat(), sage.withGraph(GraphPlace.PARTITIONED).withReplication(2), 4, false),
        Arguments.of(new Gin(2), sage, 2, false),
        Arguments.of(new Gin(2), ladies.withGraph(GraphPlace.PARTITIONED), 4, true),
        Arguments.of(new Rgcn(), sage, 2, true),
        Arguments.of(new Rsage(), sage, 2, false),
        Arguments.of(new Rgcn(), sage.withGraph(GraphPlace.PARTITIONED), 4, false),
        Arguments.of(new Gcn(), ladies.withWire(RowFormat.BF16), 2, false),
        Arguments.of(new Gcn(), ladies.withGraph(GraphPlace.PARTITIONED), 4, true),
        Arguments.of(new Appnp(3, 0.1), ladies, 2, false),
        Arguments.of(new Appnp(3, 0.1), ladies, 4, true),
        Arguments.of(new Gcnii(), sage.withTestFanouts(List.of(4, 3, 2)), 4, true),
        Arguments.of(new Gcnii(), ladies.withGraph(GraphPlace.PARTITIONED), 4, false),
        Arguments.of(new Sgc(2), none, 2, true),
        Arguments.of(new Sign(2), none.withCacheBytes(1000), 4, false),
        Arguments.of(new Sign(2), none.withOwnBatches(null), 3, true),
        Arguments.of(new Sign(1), none.withReplication(2), 4, false),
        Arguments.of(new Mlp(), none, 4, true),
        Arguments.of(
            new Gcn(),
            MinibatchSettings.of(Sampler.saintNode(3, 40)).withBatchSize(40).withBulk(2),
            2,
            false),
        Arguments.of(
            new Sage(),
            MinibatchSettings.of(Sampler.saintWalk(3, 20, 2)).withBatchSize(20).withBulk(3),
            4,
            true));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("minibatches")
  void minibatchesSendWhatIsPlanned(
      LayerKind kind, MinibatchSettings settings, int ranks, boolean sparse) {
    Normalisation normalisation =
        !kind.sight().sums() && kind.sight().ofEdges()
            ? Normalisation.NONE
            : settings.sampler().takesMeans() ? Normalisation.ROW_MEAN : kind.usualNormalisation();
    NetworkTraining given = training(kind, normalisation);
    try (GraphData data = seen(given, false, sparse)) {
      NetworkTraining training = on(given, data);
      MinibatchPlan plan = MinibatchPlan.of(data, training, ranks);
      Placement placement = Placement.random(N, Math.max(1, ranks / settings.replication()), 5);
      RunCost run = MinibatchCost.ofRun(layout(ranks), plan, settings, placement, 1);
      EpochCost cost = run.epoch();
      MinibatchTrainer[] first = new MinibatchTrainer[1];
      Counted counts =
          counted(
              ranks,
              on -> {
                MinibatchTrainer made =
                    new MinibatchTrainer(on.world(), placement, plan, settings, on.kernels());
                first[0] = made;
                return made;
              });
      assertSame(run, counts);
      assertThat(cost.count()).isEqualTo(EpochCost.Count.EXACT);
      assertThat(cost.steps()).isEqualTo(first[0].steps());
      if (settings.sampler().drawsNeighbours()) {
        assertThat(cost.seconds(Phase.SAMPLE)).isPositive();
      } else {
        assertThat(cost.seconds(Phase.SAMPLE)).isZero();
      }
    }
  }

  /// Ends of drawn pairs are on other ranks; the pairs of a batch are on its own.
  @ParameterizedTest
  @EnumSource(GraphPlace.class)
  void batchesOfEdgesSendWhatIsPlanned(GraphPlace place) {
    MinibatchSettings settings =
        MinibatchSettings.of(Sampler.sage(4, 3, 2))
            .withBatchSize(90)
            .withBulk(2)
            .withCacheBytes(600)
            .withGraph(place);
    try (GraphData whole = graph(true, false);
        Arena arena = Arena.ofShared()) {
      LinkSplit.Parts parts = new LinkSplit(LinkSplit.Proportions.DEFAULT, 0.2, 1).of(arena, whole);
      GraphData data =
          whole.withLinks(
              new LinkTask(
                  parts,
                  6,
                  2,
                  Negatives.By.DEGREE,
                  new LinkTask.Candidates(5, LinkTask.CandidateSet.OWN),
                  0));
      NetworkTraining given = training(new Sage(), Normalisation.ROW_MEAN);
      NetworkTraining training =
          new NetworkTraining(
              given.network().withDecoder(LinkDecoder.of(LinkDecoder.Kind.MLP, parts)),
              new LinkObjective(LinkComparison.of(data)),
              given.rule(),
              given.seed());
      MinibatchPlan plan = MinibatchPlan.of(data, training, 4);
      Placement placement = Placement.random(N, 4, 5);
      RunCost run = MinibatchCost.ofRun(layout(4), plan, settings, placement, 1);
      Counted counts =
          counted(
              4, on -> new MinibatchTrainer(on.world(), placement, plan, settings, on.kernels()));
      assertSame(run.epoch().traffic(), counts.epoch());
      assertThat(run.epoch().count()).isEqualTo(EpochCost.Count.EXACT);
      assertThat(run.epoch().steps())
          .isEqualTo(Math.ceilDiv(parts.train().count(), settings.batchSize()));
    }
  }

  @Test
  void pushedEmbeddingsAreBoundedFromAbove() {
    NetworkTraining training = training(new Sage(), Normalisation.ROW_MEAN);
    MinibatchSettings settings =
        MinibatchSettings.of(Sampler.sage(4, 3, 2))
            .withBatchSize(24)
            .withBulk(1)
            .withOwnBatches(HistoricalSettings.DEFAULT.withLife(2));
    try (GraphData data = graph(false, false)) {
      MinibatchPlan plan = MinibatchPlan.of(data, training, 4);
      Placement placement = Placement.block(N, 4);
      RunCost run = MinibatchCost.ofRun(layout(4), plan, settings, placement, 1);
      EpochCost cost = run.epoch();
      Counted counts =
          counted(
              4, on -> new MinibatchTrainer(on.world(), placement, plan, settings, on.kernels()));
      long sent = counts.epoch().stream().mapToLong(Traffic.Snapshot::totalBytes).sum();
      assertSame(run.evaluation().traffic(), counts.evaluation());
      assertThat(cost.count()).isEqualTo(EpochCost.Count.AT_MOST);
      assertThat(cost.traffic().totalBytes()).isGreaterThanOrEqualTo(sent).isLessThan(3 * sent);
    }
  }

  /// Four ranks on the two cores of one node are no faster than two, and two nodes of two cores
  /// are.
  @Test
  void ranksOfANodeShareItsCores() {
    long[] half = {1000, 1000};
    long[] quarter = {500, 500, 500, 500};
    RankLayout.Kernel kernel = (rows, _, threads) -> (double) rows / threads;
    assertThat(layout(1).slowest(new long[] {2000}, new long[1], kernel)).isEqualTo(1000);
    assertThat(layout(2).slowest(half, new long[2], kernel)).isEqualTo(1000);
    assertThat(layout(4).slowest(quarter, new long[4], kernel)).isEqualTo(1000);
    assertThat(new RankLayout(FlatRates.cluster(2, 2), 4).slowest(quarter, new long[4], kernel))
        .isEqualTo(500);
    assertThat(layout(2).slowest(new long[] {1500, 500}, new long[2], kernel)).isEqualTo(1500);
  }

  /// A matrix of twice the rows may take more than twice the time, because caches hold less of what
  /// it reads; two matrices take twice the time.
  @Test
  void workOfSeveralRanksIsNotThatOfALargerOne() {
    RankLayout.Kernel square = (rows, _, threads) -> (double) rows * rows / threads;
    assertThat(layout(4).slowest(new long[] {10, 10, 10, 10}, new long[4], square)).isEqualTo(200);
    assertThat(layout(4).slowest(new long[] {30, 10, 10, 10}, new long[4], square)).isEqualTo(900);
  }

  /// With two blocks of rows for four ranks each multiplies by one tile, and adds it to nothing.
  @Test
  void aSingleTileIsAddedToNothing() {
    NetworkTraining training =
        new NetworkTraining(
            training(new Gcn(), Normalisation.SYMMETRIC).network().withDropout(0, 0),
            new OptimizerRule.Adam(0),
            1);
    try (GraphData data = graph(false, false)) {
      PlacedGraph placed = new PlacedGraph(data, Placement.block(N, 2));
      RankPlan plan = RankPlan.of(placed, new ExchangeStrategy(Kind.SPARSITY_AWARE, 2, true));
      EpochCost cost = WholeGraphCost.of(layout(4), plan, training);
      double expected = 0;
      List<GraphLayer> layers = plan.network(0, training.network()).network().layers();
      for (int l = 0; l < layers.size(); l++) {
        Backward backward = l == 0 ? Backward.PARAMETERS : Backward.INPUT;
        for (LayerProduct product : layers.get(l).products(backward)) {
          if (product instanceof LayerProduct.Aggregated aggregated) {
            double together = 0;
            double alone = 0;
            for (int r = 0; r < 4; r++) {
              int i = r / 2;
              int q = r % 2;
              int rows = placed.placement().distribution().count(i);
              long entries =
                  Math.max(plan.balance().entries(i, q), plan.balance().entries(q, i))
                      + (i == q && training.network().selfLoops() ? rows : 0);
              together += new FlatRates().spmm(rows, entries, aggregated.width(), 2);
              alone = Math.max(alone, new FlatRates().spmm(rows, entries, aggregated.width(), 1));
            }
            expected += Math.max(alone, together);
          }
        }
      }
      assertThat(expected).isPositive();
      assertThat(cost.seconds(Phase.SPMM)).isCloseTo(expected, within(1e-12));
    }
  }

  /// Once a step for the entries of `Â`, and once for those of `Â^T` where it has others, by the
  /// two cores.
  @Test
  void droppedEdgesAreDrawnOnceAStep() {
    try (GraphData data = graph(false, true)) {
      RankPlan plan =
          RankPlan.of(
              new PlacedGraph(data, Placement.block(N, 1)),
              new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true));
      double entries = (double) data.adjacency().nnz();
      NetworkTraining means = training(new Sage(), Normalisation.ROW_MEAN);
      assertThat(secondsOfDroppedEdges(plan, means))
          .isCloseTo(2 * new FlatRates().sparseDropout(entries, 2), within(1e-12));
      NetworkTraining sums = training(new Gin(), Normalisation.NONE);
      assertThat(secondsOfDroppedEdges(plan, sums))
          .isCloseTo(new FlatRates().sparseDropout(entries + N, 2), within(1e-12));
    }
  }

  private static double secondsOfDroppedEdges(RankPlan plan, NetworkTraining training) {
    NetworkTraining dropping =
        new NetworkTraining(training.network().withEdgeDropout(0.5), training.rule(), 1);
    return WholeGraphCost.of(layout(1), plan, dropping).seconds(Phase.OTHER)
        - WholeGraphCost.of(layout(1), plan, training).seconds(Phase.OTHER);
  }

  /// Half of the sums to the other rank, and the reduced half back, while cores add them up.
  @Test
  void anImitatedNetworkCarriesSumsWhileTheyAreAdded() {
    LinkRates link = new LinkRates(30e-6, 1.25e9);
    RankTraffic sums = new RankTraffic(new RankLayout(FlatRates.cluster(1, 2), 2, link));
    int[] both = {0, 1};
    sums.allReduce(both, 1_000_000, Float.BYTES);
    assertThat(sums.copySeconds()).isCloseTo(1e-3, within(1e-12));
    assertThat(sums.allReduceSeconds(both)).isCloseTo(2 * 30e-6 + 4e6 / 1.25e9, within(1e-12));
  }

  /// Rank 1 receives from all others: its link is the busiest, though it sends nothing.
  @Test
  void busiestLinkMayBeAnIncomingOne() {
    RankTraffic traffic = new RankTraffic(new RankLayout(FlatRates.cluster(4, 1), 4));
    for (int from : new int[] {0, 2, 3}) {
      traffic.block(from, 1, 1_250_000);
    }
    assertThat(traffic.linkSeconds()).isCloseTo(3 * (1e-3 + 30e-6), within(1e-12));
    assertThat(traffic.copySeconds()).isZero();
    RankTraffic inside = new RankTraffic(layout(4));
    inside.block(0, 1, 4_000_000);
    assertThat(inside.linkSeconds()).isZero();
    assertThat(inside.copySeconds()).isCloseTo(1e-3 + 2e-6, within(1e-12));
  }
}
