package dev.gossamer.gnn.fullgraph;

import static dev.gossamer.gnn.fullgraph.RankTrainings.assertEqualsSerial;
import static dev.gossamer.gnn.fullgraph.RankTrainings.distributed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.MpiProgram;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.ShareOf;
import dev.gossamer.comm.Traffic;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fullgraph.RankTrainings.Case;
import dev.gossamer.gnn.fullgraph.RankTrainings.Network;
import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.layers.Activation.Function;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.optimizer.OptimizerRule;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Distributed equals serial: twenty epochs over ranks have the losses and scores of one rank.
class RankTrainingTest {
  @TempDir private Path folder;

  static Stream<Case> cases() {
    return RankTrainings.cases();
  }

  @ParameterizedTest
  @ShareOf("cases")
  void lossesAndScoresEqualThoseOfOneRank(Case what) {
    for (int layers = 1; layers <= 4; layers++) {
      try (Network network = RankTrainings.network(layers)) {
        assertEqualsSerial(overThreads(network, what), network);
      }
    }
  }

  static Stream<Case> someCases() {
    return RankTrainings.cases().filter(what -> what.strategy().overlap() && what.random());
  }

  @ParameterizedTest
  @ShareOf("someCases")
  void graphSageToo(Case what) {
    try (Network whole = RankTrainings.sage(false, 0);
        Network dropped = RankTrainings.sage(false, 0.2);
        Network sparse = RankTrainings.sage(true, 0.2)) {
      for (Network network : List.of(whole, dropped, sparse)) {
        assertEqualsSerial(overThreads(network, what), network);
      }
    }
  }

  static Stream<Case> casesThatExchange() {
    return someCases().filter(what -> what.ranks() > 1);
  }

  private static Case inBfloat16(Case what) {
    ExchangeStrategy s = what.strategy();
    ExchangeStrategy narrow =
        new ExchangeStrategy(s.kind(), s.replication(), s.overlap(), RowFormat.BF16);
    GraphProducts products = what.products();
    return new Case(
        what.ranks(),
        new GraphProducts(narrow, products.input(), products.columns()),
        what.random());
  }

  /// Each of the two products of a layer rounds what it multiplies by at most `2^-8` of it, and so
  /// changes a loss of about 1 by about as much; Adam passes relative errors on, and they add up
  /// over the epochs.
  @ParameterizedTest
  @ShareOf("casesThatExchange")
  void bfloat16KeepsTheLossesOfTheFirstEpochs(Case what) {
    for (int layers = 2; layers <= 3; layers++) {
      try (Network network = RankTrainings.network(layers)) {
        List<Double> found = overThreads(network, inBfloat16(what));
        for (int epoch = 0; epoch < 5; epoch++) {
          double expected = network.expected().get(epoch);
          assertThat(found.get(epoch))
              .isCloseTo(expected, within((epoch + 1) * 2 * layers * 0x1p-8))
              .isNotEqualTo(expected);
        }
        assertThat(overThreads(network, inBfloat16(what))).isEqualTo(found);
      }
    }
  }

  static Stream<Case> edgeCases() {
    return RankTrainings.cases()
        .filter(what -> what.strategy().kind() == Kind.SPARSITY_AWARE)
        .filter(what -> what.strategy().replication() == 1 && what.strategy().overlap());
  }

  @ParameterizedTest
  @ShareOf("edgeCases")
  void graphAttentionToo(Case what) {
    for (Variant variant : Variant.values()) {
      try (Network dense = RankTrainings.attention(variant, false);
          Network sparse = RankTrainings.attention(variant, true)) {
        assertEqualsSerial(overThreads(dense, what), dense);
        assertEqualsSerial(overThreads(sparse, what), sparse);
      }
    }
  }

  @ParameterizedTest
  @ShareOf("edgeCases")
  void relationsToo(Case what) {
    for (LayerKind kind : List.of(new Rgcn(), new Rsage())) {
      try (Network dense = RankTrainings.relations(kind, false);
          Network sparse = RankTrainings.relations(kind, true)) {
        assertEqualsSerial(overThreads(dense, what), dense);
        assertEqualsSerial(overThreads(sparse, what), sparse);
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @ShareOf("someCases")
  void finishedLayersToo(Case what) {
    for (LayerKind kind : List.of(new Gcn(), new Sage(), new Gin())) {
      try (Network dense = RankTrainings.finished(kind, Norm.LAYER, false);
          Network sparse = RankTrainings.finished(kind, Norm.BATCH, true)) {
        assertEqualsSerial(overThreads(dense, what), dense);
        assertEqualsSerial(overThreads(sparse, what), sparse);
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @ShareOf("someCases")
  void slopesToo(Case what) {
    Finish sloped = new Finish(Function.PRELU, Norm.BATCH, true);
    try (Network dense = RankTrainings.finished(new Gcn(), sloped, false);
        Network sparse = RankTrainings.finished(new Sage(), sloped, true)) {
      assertEqualsSerial(overThreads(dense, what), dense);
      assertEqualsSerial(overThreads(sparse, what), sparse);
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @ShareOf("someCases")
  void projectionsAndFeedForwardLayersToo(Case what) {
    Finish everything =
        new Finish(Function.GELU, Norm.BATCH, true).withInputProjection(true).withFeedForward(true);
    assertFinishedEqualsSerial(new Gcn(), Finish.USUAL.withInputProjection(true), what);
    for (LayerKind kind : List.of(new Gcn(), new Sage(), new Gin())) {
      assertFinishedEqualsSerial(kind, everything, what);
    }
  }

  @ParameterizedTest
  @ShareOf("edgeCases")
  void projectionsBeforeEdgesToo(Case what) {
    Finish projecting = Finish.USUAL.withInputProjection(true);
    Gat attention = new Gat(3, Variant.STANDARD, 0.25);
    assertFinishedEqualsSerial(attention, projecting.withFeedForward(true), what);
    assertFinishedEqualsSerial(new Gat(3, Variant.V2, 0.25), projecting, what);
    assertFinishedEqualsSerial(new Rgcn(2), projecting, what);
    assertFinishedEqualsSerial(new Rsage(), projecting, what);
  }

  @ParameterizedTest
  @ShareOf("someCases")
  void jumpsToo(Case what) {
    Finish maxima = new Finish(Function.GELU, Norm.BATCH, true).withJumping(Jumping.MAX);
    for (LayerKind kind : List.of(new Gcn(), new Sage(), new Gin())) {
      assertFinishedEqualsSerial(kind, maxima, what);
    }
    assertFinishedEqualsSerial(new Gcn(), Finish.USUAL.withJumping(Jumping.SUM), what);
  }

  @Tag("slow")
  @ParameterizedTest
  @ShareOf("edgeCases")
  void jumpsOverEdgesToo(Case what) {
    Finish sideBySide = Finish.USUAL.withJumping(Jumping.CONCAT);
    assertFinishedEqualsSerial(new Gat(3, Variant.STANDARD, 0.25), sideBySide, what);
    assertFinishedEqualsSerial(new Rgcn(2), sideBySide, what);
    assertFinishedEqualsSerial(new Rsage(), sideBySide, what);
  }

  private static void assertFinishedEqualsSerial(LayerKind kind, Finish finish, Case what) {
    try (Network dense = RankTrainings.finished(kind, finish, false);
        Network sparse = RankTrainings.finished(kind, finish, true)) {
      assertEqualsSerial(overThreads(dense, what), dense);
      assertEqualsSerial(overThreads(sparse, what), sparse);
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @ShareOf("someCases")
  void droppedEdgesToo(Case what) {
    for (LayerKind kind : List.of(new Gcn(), new Sage(), new Gin(), new Appnp(5, 0.2))) {
      assertDroppingEqualsSerial(kind, what);
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @ShareOf("edgeCases")
  void droppedEdgesOfAttentionAndRelationsToo(Case what) {
    for (LayerKind kind :
        List.of(
            new Gat(3, Variant.STANDARD, 0.25),
            new Gat(3, Variant.V2, 0),
            new Gat(3, Variant.MB, 0.25, 4),
            new Gat(3, Variant.V2, 0.25, 4),
            new Gin(4),
            new Rgcn(2))) {
      assertDroppingEqualsSerial(kind, what);
    }
  }

  private static void assertDroppingEqualsSerial(LayerKind kind, Case what) {
    try (Network dense = RankTrainings.dropping(kind, false);
        Network sparse = RankTrainings.dropping(kind, true)) {
      assertEqualsSerial(overThreads(dense, what), dense);
      assertEqualsSerial(overThreads(sparse, what), sparse);
    }
  }

  @ParameterizedTest
  @ShareOf("someCases")
  void initialResidualsToo(Case what) {
    for (LayerKind kind : List.of(new Appnp(5, 0.2), new Gcnii(0.2, 1))) {
      try (Network dense = RankTrainings.residual(kind, false);
          Network sparse = RankTrainings.residual(kind, true)) {
        assertEqualsSerial(overThreads(dense, what), dense);
        assertEqualsSerial(overThreads(sparse, what), sparse);
      }
    }
  }

  @ParameterizedTest
  @ShareOf("someCases")
  void hopsOfTheFeaturesToo(Case what) {
    for (LayerKind kind : List.of(new Sgc(2), new Sign(3))) {
      try (Network dense = RankTrainings.residual(kind, false);
          Network sparse = RankTrainings.residual(kind, true)) {
        assertEqualsSerial(overThreads(dense, what), dense);
        assertEqualsSerial(overThreads(sparse, what), sparse);
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @ShareOf("edgeCases")
  void finishedAttentionToo(Case what) {
    try (Network network =
        RankTrainings.finished(new Gat(3, Variant.STANDARD, 0.25), Norm.BATCH, false)) {
      assertEqualsSerial(overThreads(network, what), network);
    }
  }

  @ParameterizedTest
  @ShareOf("edgeCases")
  void featuresOfEdgesToo(Case what) {
    Finish projecting = new Finish(Function.GELU, Norm.BATCH, true).withInputProjection(true);
    for (LayerKind kind :
        List.of(
            new Gat(3, Variant.STANDARD, 0.25, 4), new Gat(3, Variant.V2, 0.25, 4), new Gin(4))) {
      assertFinishedEqualsSerial(kind, Finish.USUAL, what);
      assertFinishedEqualsSerial(kind, projecting, what);
    }
  }

  @ParameterizedTest
  @ShareOf("casesThatExchange")
  void bfloat16HalvesTheBytesOfRowsInAnEpoch(Case what) {
    try (Network network = RankTrainings.network(3)) {
      Traffic.Snapshot wide = sent(network, what);
      Traffic.Snapshot narrow = sent(network, inBfloat16(what));
      assertThat(narrow.totalMessages()).isEqualTo(wide.totalMessages());
      for (Operation operation : Operation.values()) {
        // Gradients, and sums over process rows, are of float32 either way.
        int factor = operation == Operation.ALL_REDUCE ? 1 : 2;
        assertThat(narrow.bytes(operation) * factor).isEqualTo(wide.bytes(operation));
      }
      assertThat(narrow.totalBytes()).isLessThan(wide.totalBytes());
    }
  }

  /// What the last rank sends in an epoch.
  private static Traffic.Snapshot sent(Network network, Case what) {
    AtomicReference<Traffic.Snapshot> sent = new AtomicReference<>();
    ThreadRanks.run(
        what.ranks(),
        world -> {
          try (Workers workers = new Workers(1);
              FullGraphTrainer training = RankTrainings.training(world, network, what, workers)) {
            training.train(0, 0.01);
            if (world.rank() == world.size() - 1) {
              sent.set(training.sent());
            }
          }
        });
    return Objects.requireNonNull(sent.get());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void thePlanBoundsWhatLayersOfEdgesTake(boolean relations) {
    ExchangeStrategy strategy = new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true);
    Placement placement = Placement.random(RankTrainings.N, 3, 5);
    try (Network network =
        relations
            ? RankTrainings.relations(new Rgcn(), false)
            : RankTrainings.attention(Variant.MB, false)) {
      PlacedGraph graph = new PlacedGraph(network.dataset(), placement);
      RankPlan planned = RankPlan.of(graph, strategy);
      ThreadRanks.run(
          3,
          world -> {
            try (Workers workers = new Workers(1);
                FullGraphTrainer training =
                    new FullGraphTrainer(
                        world,
                        graph,
                        strategy,
                        new NetworkTraining(network.settings(), new OptimizerRule.Adam(0), 3),
                        new Kernels(workers, Matmul.java()))) {
              long taken = training.plan().buffers().bytes();
              long bound = planned.network(world.rank(), network.settings()).buffers().bytes();
              assertThat(bound).isBetween(taken, 2 * taken);
            }
          });
    }
  }

  private static List<Double> overThreads(Network network, Case what) {
    Map<Integer, List<Double>> byRank = new ConcurrentHashMap<>();
    ThreadRanks.run(
        what.ranks(), world -> byRank.put(world.rank(), distributed(world, network, what)));
    List<Double> first = Objects.requireNonNull(byRank.get(0));
    for (List<Double> values : byRank.values()) {
      assertThat(values).isEqualTo(first);
    }
    return first;
  }

  @Tag("slow")
  @Test
  void lossesAndScoresEqualThoseOfOneRankUnderMpi() throws Exception {
    assertEqualUnderMpi(MpiProgram.OPEN_MPI, false, "3");
  }

  @Tag("endurance")
  @ParameterizedTest
  @ValueSource(strings = {MpiProgram.OPEN_MPI, MpiProgram.MPICH})
  void lossesAndScoresOfEveryCaseEqualThoseOfOneRankUnderMpi(String launcher) throws Exception {
    assertEqualUnderMpi(launcher, true, "3");
  }

  @Tag("endurance")
  @ParameterizedTest
  @ValueSource(strings = {MpiProgram.OPEN_MPI, MpiProgram.MPICH})
  void networksOfAnyDepthEqualThoseOfOneRankUnderMpi(String launcher) throws Exception {
    assertEqualUnderMpi(launcher, true, "1", "2", "4");
  }

  private void assertEqualUnderMpi(String launcher, boolean all, String... layers)
      throws Exception {
    String[] arguments =
        Stream.concat(Stream.of(all ? "all" : "half"), Stream.of(layers)).toArray(String[]::new);
    MpiProgram.Outcome outcome =
        MpiProgram.run(folder, launcher, RankTrainings.MPI_RANKS, MpiTrainings.class, arguments);
    int trainings = layers.length * RankTrainings.mpiCases(all).size();
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("equal trainings: " + trainings);
  }

  @Tag("endurance")
  @Test
  void anExceptionInTheMiddleOfTrainingEndsAllRanks() throws Exception {
    assertEndsAllRanks(MpiProgram.OPEN_MPI);
  }

  @Tag("endurance")
  @Test
  void anExceptionInTheMiddleOfTrainingEndsAllRanksOfMpich() throws Exception {
    assertEndsAllRanks(MpiProgram.MPICH);
  }

  private void assertEndsAllRanks(String launcher) throws Exception {
    MpiProgram.Outcome outcome =
        MpiProgram.run(folder, launcher, RankTrainings.MPI_RANKS, MpiTrainings.class, "throw");
    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.output().lines().filter(line -> line.contains(" failed: ")))
        .containsExactly("rank 2 of 4 failed: java.lang.IllegalStateException: no more rows");
  }
}
