package dev.gossamer.gnn.fullgraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.comm.ShareOf;
import dev.gossamer.gnn.fixture.OneRank;
import dev.gossamer.gnn.fullgraph.GraphProducts.Input;
import dev.gossamer.gnn.hop.HopPlan;
import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.layers.Activation.Function;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Networks whose hidden layers are followed by more than the activation of their kind.
class FinishedLayersTest {
  private static final int N = 41;
  private static final int FEATURES = 9;
  private static final long SEED = 1;
  private static final int EPOCH = 5;

  /// Every product of a pass sums at most `N` or a width of terms of about 1, in float32; a pass
  /// has a few of them in a row, and a normalisation multiplies by the inverse of a deviation,
  /// which is less than about 4.
  private static final double TOLERANCE = 4 * 64 * N * Math.ulp(1f);

  private static final Finish EVERYTHING = new Finish(Function.GELU, Norm.LAYER, true);

  private static final Finish SLOPED = new Finish(Function.PRELU, Norm.NONE, false);

  private static final Finish BATCH_ONLY = new Finish(null, Norm.BATCH, false);

  /// Sums of a few dozen products of about 1 in float32.
  private static final Offset<Double> ROUNDING = within(1e-5);

  private static final Finish BATCHES = new Finish(Function.GELU, Norm.BATCH, true);

  private static final Finish SIDE_BY_SIDE = Finish.USUAL.withJumping(Jumping.CONCAT);

  static Stream<NetworkSettings> networks() {
    Gat attention = new Gat(2, Variant.STANDARD, 0.3);
    return Stream.of(
        network(new Gcn(), List.of(5), new Finish(Function.GELU, Norm.NONE, false), 0.4),
        network(new Gcn(), List.of(5), new Finish(Function.ELU, Norm.NONE, false), 0.4),
        network(new Gcn(), List.of(5), SLOPED, 0),
        network(new Sage(), List.of(17, 6), SLOPED, 0.4),
        network(new Mlp(), List.of(6, 6), new Finish(Function.PRELU, Norm.NONE, true), 0.4),
        network(attention, List.of(6, 6), new Finish(Function.PRELU, Norm.LAYER, true), 0.3),
        network(new Gin(), List.of(6, 6), new Finish(Function.PRELU, Norm.BATCH, true), 0.3),
        network(new Gcn(), List.of(8, 8), new Finish(null, Norm.NONE, true), 0.4),
        network(new Gcn(), List.of(4, 17), new Finish(null, Norm.LAYER, false), 0.4),
        network(new Gcn(), List.of(17, 17, 17), EVERYTHING, 0.4),
        network(new Gcn(), List.of(6, 6), EVERYTHING, 0),
        network(new Sage(), List.of(6, 6, 6), EVERYTHING, 0.3),
        network(new Sage(), List.of(17), new Finish(null, Norm.LAYER, false), 0),
        network(new Mlp(), List.of(17, 17), EVERYTHING, 0.3),
        network(new Gcn(), List.of(17, 17), BATCHES, 0.4),
        network(new Gcn(), List.of(5), new Finish(null, Norm.BATCH, false), 0),
        network(new Sage(), List.of(6, 6), BATCHES, 0.3),
        network(new Mlp(), List.of(7, 17), new Finish(Function.ELU, Norm.BATCH, false), 0),
        network(new Gat(), List.of(12, 12), BATCHES, 0.3),
        network(new Gat(3, Variant.V2, 0.2), List.of(12, 12), EVERYTHING, 0.3),
        network(new Gin(), List.of(), Finish.USUAL, 0),
        network(new Gin(), List.of(7, 12), Finish.USUAL, 0.3),
        network(new Gin(), List.of(6, 6), BATCHES, 0.3),
        network(new Gin(1), List.of(), Finish.USUAL, 0),
        network(new Gin(3), List.of(7, 12), Finish.USUAL, 0.3),
        network(new Gin(5), List.of(17, 17), EVERYTHING, 0.3),
        network(new Gin(2), List.of(6, 6), BATCHES, 0),
        network(new Appnp(1, 0.1), List.of(7), Finish.USUAL, 0.3),
        network(new Appnp(4, 0.2), List.of(), Finish.USUAL, 0),
        network(new Appnp(3, 0.1), List.of(17, 5), Finish.USUAL, 0.3),
        network(new Gcnii(0.1, 0.5), List.of(17), Finish.USUAL, 0.3),
        network(new Gcnii(0.3, 1.5), List.of(6, 6), Finish.USUAL, 0),
        network(new Gcnii(0.2, 1), List.of(7, 7, 7, 7), Finish.USUAL, 0.4),
        network(new Rgcn(), List.of(), Finish.USUAL, 0),
        network(new Rgcn(2), List.of(7), Finish.USUAL, 0.3),
        network(new Rgcn(1), List.of(17, 6), Finish.USUAL, 0.3),
        network(new Rgcn(8), List.of(6, 6), EVERYTHING, 0.3),
        network(new Rsage(), List.of(), Finish.USUAL, 0),
        network(new Rsage(), List.of(17, 6), Finish.USUAL, 0.3),
        network(new Rsage(), List.of(6, 6), EVERYTHING, 0.3),
        network(new Sgc(2), List.of(), Finish.USUAL, 0),
        network(new Sgc(3), List.of(7), Finish.USUAL, 0.3),
        network(new Sgc(1), List.of(6, 6), EVERYTHING, 0.3),
        network(new Sign(2), List.of(7), Finish.USUAL, 0.3),
        network(new Sign(1), List.of(5, 10), EVERYTHING, 0.3),
        network(new Sign(3), List.of(5), new Finish(null, Norm.BATCH, false), 0),
        network(new Gat(), List.of(12, 12), EVERYTHING, 0.3),
        network(attention, List.of(6, 6), new Finish(null, Norm.LAYER, true), 0.3),
        network(attention, List.of(6, 10), new Finish(Function.RELU, Norm.NONE, false), 0),
        network(new Gat(2, Variant.MB, 0.3, 3), List.of(6, 6), Finish.USUAL, 0.3),
        network(new Gat(3, Variant.STANDARD, 0, 1), List.of(), Finish.USUAL, 0),
        network(new Gat(4, Variant.STANDARD, 0.3, 5), List.of(12, 12), EVERYTHING, 0.3),
        network(new Gat(3, Variant.V2, 0, 1), List.of(), Finish.USUAL, 0),
        network(new Gat(2, Variant.V2, 0.3, 3), List.of(6, 34), Finish.USUAL, 0.3),
        network(new Gat(4, Variant.V2, 0.3, 5), List.of(12, 12), EVERYTHING, 0.3));
  }

  /// Networks whose outputs are computed from all layers.
  static Stream<NetworkSettings> jumpingNetworks() {
    Finish maxima = Finish.USUAL.withJumping(Jumping.MAX);
    Finish sums = Finish.USUAL.withJumping(Jumping.SUM);
    Gat attention = new Gat(2, Variant.STANDARD, 0.3);
    return Stream.of(
        network(new Gcn(), List.of(5), SIDE_BY_SIDE, 0.4),
        network(new Gcn(), List.of(4, 17, 6), SIDE_BY_SIDE, 0.3),
        network(new Gcn(), List.of(6, 6), SLOPED.withJumping(Jumping.MAX), 0.3),
        network(new Gcn(), List.of(17, 17, 17), maxima, 0.4),
        network(new Gcn(), List.of(17, 17, 17), sums, 0.4),
        network(new Gcn(), List.of(6), EVERYTHING.withJumping(Jumping.MAX), 0),
        network(new Gcn(), List.of(17, 17), BATCHES.withJumping(Jumping.SUM), 0.3),
        network(new Sage(), List.of(6, 9), SIDE_BY_SIDE, 0),
        network(new Sage(), List.of(6, 6, 6), EVERYTHING.withJumping(Jumping.MAX), 0.3),
        network(new Sage(), List.of(17, 17), BATCHES.withJumping(Jumping.CONCAT), 0.3),
        network(new Gin(), List.of(7, 12), SIDE_BY_SIDE, 0.3),
        network(new Gin(), List.of(6, 6), BATCHES.withJumping(Jumping.MAX), 0.3),
        network(new Gin(3), List.of(7, 12), SIDE_BY_SIDE, 0.3),
        network(new Gat(), List.of(12, 8), SIDE_BY_SIDE, 0.3),
        network(attention, List.of(6, 6), maxima, 0.3),
        network(
            new Gat(3, Variant.V2, 0.2), List.of(12, 12), EVERYTHING.withJumping(Jumping.SUM), 0.3),
        network(new Rgcn(2), List.of(7, 5), SIDE_BY_SIDE, 0.3),
        network(new Rgcn(8), List.of(6, 6), EVERYTHING.withJumping(Jumping.MAX), 0.3),
        network(new Rgcn(1), List.of(6), sums, 0),
        network(new Rsage(), List.of(6, 6), SIDE_BY_SIDE, 0.3));
  }

  static Stream<Arguments> cases() {
    return inEveryWay(Stream.concat(networks(), jumpingNetworks()));
  }

  /// Each network with directed and undirected graphs, dense and sparse features, and an input that
  /// is kept or computed twice.
  static Stream<Arguments> inEveryWay(Stream<NetworkSettings> networks) {
    List<Arguments> all = new ArrayList<>();
    networks.forEach(network -> {
      for (boolean directed : new boolean[] {false, true}) {
        for (boolean sparse : new boolean[] {false, true}) {
          for (Input input : List.of(Input.KEPT, Input.RECOMPUTED)) {
            all.add(Arguments.of(network, directed, sparse, input));
          }
        }
      }
    });
    return all.stream();
  }

  static NetworkSettings network(
      LayerKind kind, List<Integer> hidden, Finish finish, double dropout) {
    return NetworkSettings.of(kind).withHidden(hidden).withDropout(dropout, 0).withFinish(finish);
  }

  @ParameterizedTest
  @ShareOf("cases")
  void lossAndGradientsEqualTheNaiveNetwork(
      NetworkSettings settings, boolean directed, boolean sparse, Input input) {
    assertEqualsNaive(settings, directed, sparse, input);
  }

  static void assertEqualsNaive(
      NetworkSettings settings, boolean directed, boolean sparse, Input input) {
    GraphData typed = SmallGraphs.typed(N, FEATURES, directed, sparse, 3);
    int ofEdges = settings.kind().edgeFeatures();
    try (GraphData dataset =
            ofEdges == 0 ? typed : SmallGraphs.withEdgeFeatures(typed, ofEdges, 8);
        Arena arena = Arena.ofShared();
        Workers workers = new Workers(2);
        FullGraphTrainer trainer = trainer(arena, dataset, settings, input, workers)) {
      DenseState state = trainer.state();
      disturbVectors(state);
      assertThat(trainer.train(EPOCH, 0))
          .isCloseTo(reference(dataset, settings, state, EPOCH).loss(), within(TOLERANCE));
      float[] found = state.gradients().toArray(ValueLayout.JAVA_FLOAT);
      ReferenceStack reference = reference(dataset, settings, state, EPOCH);
      // All of a small network, and some of every parameter of a large one.
      for (int i = 0; i < found.length; i += 1 + found.length / 60) {
        assertThat((double) found[i])
            .as("gradient %d of %s", i, state.layout())
            .isCloseTo(reference.gradient(i), within(TOLERANCE));
      }
      assertThat(trainer.evaluate().train().loss())
          .isCloseTo(reference(dataset, settings, state, -1).loss(), within(TOLERANCE));
    }
  }

  private static FullGraphTrainer trainer(
      Arena arena, GraphData dataset, NetworkSettings settings, Input input, Workers workers) {
    GraphData seen = settings.kind().seen(arena, dataset);
    return OneRank.fullGraph(seen, settings.on(seen), input, SEED, workers);
  }

  /// Biases and gains that are as trained, so that none is in a corner or without effect.
  private static void disturbVectors(DenseState state) {
    Random random = new Random(4);
    for (ParameterLayout.Entry entry : state.layout().entries()) {
      for (int j = 0; j < entry.cols() && entry.rows() == 1; j++) {
        float value = state.weight(entry.name()).get(0, j);
        state.weight(entry.name()).set(0, j, value + 0.1f + 0.4f * random.nextFloat());
      }
    }
  }

  private static ReferenceStack reference(
      GraphData dataset, NetworkSettings settings, DenseState state, int step) {
    float[] weights = state.weights().toArray(ValueLayout.JAVA_FLOAT);
    if (settings.kind().projectsFirst()) {
      return new ReferenceResiduals(dataset, settings, state.layout(), weights, SEED, step);
    }
    if (!settings.precomputed().isNone()) {
      return new ReferenceHops(dataset, settings, state.layout(), weights, SEED, step);
    }
    if (settings.seesRelations()) {
      return new ReferenceRelations(dataset, settings, state.layout(), weights, SEED, step);
    }
    return settings.kind() instanceof Gat
        ? new ReferenceAttention(dataset, settings, state.layout(), weights, SEED, step)
        : new ReferenceSums(dataset, settings, state.layout(), weights, SEED, step);
  }

  /// The first step's statistics, and then averages; one row too many or too few, or a biased
  /// variance, would be seen.
  @Test
  void runningStatisticsAreAveragesOfTheSteps() {
    NetworkSettings settings =
        NetworkSettings.of(new Mlp()).withHidden(List.of(5)).withFinish(BATCH_ONLY);
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, false, false, 3);
        Workers workers = new Workers(1);
        FullGraphTrainer trainer = OneRank.fullGraph(dataset, settings, SEED, workers)) {
      DenseState state = trainer.state();
      double[] mean = new double[2];
      double[] variance = new double[2];
      for (int epoch = 0; epoch < 2; epoch++) {
        double[] z = firstColumn(dataset, state);
        mean[epoch] = DoubleStream.of(z).average().orElseThrow();
        double middle = mean[epoch];
        variance[epoch] =
            DoubleStream.of(z).map(value -> (value - middle) * (value - middle)).sum() / (N - 1);
        trainer.train(epoch, 0.1);
        assertThat((double) state.weight("layers.0.norm.mean").get(0, 0))
            .isCloseTo(DoubleStream.of(mean).limit(epoch + 1).average().orElseThrow(), ROUNDING);
        assertThat((double) state.weight("layers.0.norm.variance").get(0, 0))
            .isCloseTo(
                DoubleStream.of(variance).limit(epoch + 1).average().orElseThrow(), ROUNDING);
      }
      assertThat(state.weight("layers.0.norm.steps").get(0, 0)).isEqualTo(2);
      assertThat(state.gradient("layers.0.norm.variance").get(0, 0)).isZero();
    }
  }

  private static double[] firstColumn(GraphData dataset, DenseState state) {
    double[][] z =
        ReferenceStack.times(
            ReferenceStack.dense(dataset.features()), column(state.weight("layers.0.weight")));
    double bias = state.weight("layers.0.bias").get(0, 0);
    return Stream.of(z).mapToDouble(row -> row[0] + bias).toArray();
  }

  private static double[][] column(DenseMatrix weight) {
    double[][] first = new double[Math.toIntExact(weight.rows())][1];
    for (int i = 0; i < first.length; i++) {
      first[i][0] = weight.get(i, 0);
    }
    return first;
  }

  @Tag("slow")
  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    for (Finish finish : List.of(EVERYTHING, BATCHES, BATCHES.withJumping(Jumping.MAX), SLOPED)) {
      theBitsDoNotDependOnTheNumberOfThreads(finish);
    }
  }

  private static void theBitsDoNotDependOnTheNumberOfThreads(Finish finish) {
    NetworkSettings settings =
        NetworkSettings.of(new Gcn()).withHidden(List.of(20, 20)).withFinish(finish);
    assertThat(trained(settings, 1))
        .isEqualTo(trained(settings, 2))
        .isEqualTo(trained(settings, 5));
  }

  static float[] trained(NetworkSettings settings, int threads) {
    try (GraphData dataset = SmallGraphs.of(40 * N, FEATURES, true, false, 6);
        Workers workers = new Workers(threads);
        FullGraphTrainer trainer = OneRank.fullGraph(dataset, settings, SEED, workers)) {
      for (int epoch = 0; epoch < 10; epoch++) {
        trainer.train(epoch, 0.02);
      }
      return trainer.state().weights().toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  /// What the backward pass needs of the layer: its result and two moments a row.
  @Test
  void thePlanHasWhatTheyKeep() {
    NetworkSettings plain = NetworkSettings.of(new Gcn()).withHidden(List.of(8, 8));
    try (GraphData dataset = SmallGraphs.of(64, FEATURES, false, true, 4)) {
      long bytes = OneRank.plan(dataset, plain).buffers().bytes();
      NetworkPlan plan = OneRank.plan(dataset, plain.withFinish(EVERYTHING));
      assertThat(plan.buffers().bytes() - bytes).isEqualTo(4L * (2 * 64 * (8 + 2) + 16));
      // Of a slope, the gradient behind the dropout as well.
      NetworkPlan sloped =
          OneRank.plan(dataset, plain.withFinish(new Finish(Function.PRELU, Norm.LAYER, true)));
      assertThat(sloped.buffers().bytes() - bytes).isEqualTo(4L * (2 * 64 * (8 + 2) + 16 + 64 * 8));
      NetworkPlan usual =
          OneRank.plan(dataset, plain.withFinish(new Finish(Function.RELU, Norm.NONE, false)));
      assertThat(usual.buffers()).isEqualTo(OneRank.plan(dataset, plain).buffers());
    }
  }

  /// Rows that are left for later layers, and what propagations and convolutions keep of them.
  @Test
  void thePlanHasWhatLayersLeave() {
    try (GraphData dataset = SmallGraphs.of(64, FEATURES, false, true, 4)) {
      long outputs = SmallGraphs.CLASSES;
      NetworkSettings appnp = NetworkSettings.of(new Appnp(3, 0.1)).withHidden(List.of(16));
      // Three outputs, the hidden layer, P or its gradient, and the rows that are left.
      assertThat(OneRank.plan(dataset, appnp).buffers().bytes())
          .isEqualTo(64L * Float.BYTES * (3 * outputs + 16 + outputs + outputs));
      NetworkSettings gcnii = NetworkSettings.of(new Gcnii()).withHidden(List.of(16, 16));
      // Two outputs, P twice, M of each, the last result, a shared sum, and the rows that are left.
      assertThat(OneRank.plan(dataset, gcnii).buffers().bytes())
          .isEqualTo(64L * Float.BYTES * (16 + outputs + 7 * 16));
    }
  }

  /// What the hidden layers keep, the rows that they leave, and the output of the last one.
  @Test
  void thePlanHasWhatIsCombined() {
    try (GraphData dataset = SmallGraphs.of(64, FEATURES, false, true, 4)) {
      NetworkSettings gcn = NetworkSettings.of(new Gcn()).withHidden(List.of(16, 16));
      long outputs = SmallGraphs.CLASSES;
      long others = 64L * Float.BYTES * (2 * 16 + outputs + 3 * 16 + 16 + 16);
      assertThat(OneRank.plan(dataset, gcn.withFinish(SIDE_BY_SIDE)).buffers().bytes())
          .isEqualTo(others + 64L * Float.BYTES * 3 * 16);
      Finish maxima = Finish.USUAL.withJumping(Jumping.MAX);
      assertThat(OneRank.plan(dataset, gcn.withFinish(maxima)).buffers().bytes())
          .isEqualTo(others + 64L * Float.BYTES * 2 * 16);
      Finish sums = Finish.USUAL.withJumping(Jumping.SUM);
      assertThat(OneRank.plan(dataset, gcn.withFinish(sums)).buffers().bytes())
          .isEqualTo(others + 64L * Float.BYTES * 16);
    }
  }

  @Test
  void weightDecayAppliesAsInThePapers() {
    try (GraphData dataset = SmallGraphs.of(64, FEATURES, false, true, 4)) {
      NetworkSettings appnp = NetworkSettings.of(new Appnp()).withHidden(List.of(16));
      assertThat(decay(dataset, appnp, "layers.0.dense.0.weight")).isEqualTo(1);
      assertThat(decay(dataset, appnp, "layers.0.dense.1.weight")).isEqualTo(1);
      NetworkSettings first = appnp.withDecayed(Decayed.FIRST_LAYER);
      assertThat(decay(dataset, first, "layers.0.dense.0.weight")).isEqualTo(1);
      assertThat(decay(dataset, first, "layers.0.dense.1.weight")).isZero();
      NetworkSettings gcnii = NetworkSettings.of(new Gcnii()).withHidden(List.of(16, 16));
      assertThat(decay(dataset, gcnii, "layers.0.dense.0.weight")).isEqualTo(0.05);
      assertThat(decay(dataset, gcnii, "layers.0.weight")).isEqualTo(1);
      assertThat(decay(dataset, gcnii, "layers.1.weight")).isEqualTo(1);
      assertThat(decay(dataset, gcnii, "layers.1.output.weight")).isEqualTo(0.05);
      assertThat(decay(dataset, gcnii, "layers.1.output.bias")).isZero();
      NetworkSettings sloped = NetworkSettings.of(new Gcn()).withFinish(SLOPED);
      assertThat(decay(dataset, sloped, "layers.0.slope")).isZero();
      assertThat(decay(dataset, sloped, "layers.0.weight")).isEqualTo(1);
    }
  }

  /// The result of the first layer, that of one hop, and the features of one.
  @Test
  void thePlanHasWhatHopsTake() {
    try (GraphData dataset = SmallGraphs.of(64, FEATURES, false, true, 4)) {
      long outputs = SmallGraphs.CLASSES;
      NetworkSettings sgc = NetworkSettings.of(new Sgc());
      assertThat(OneRank.plan(dataset, sgc).buffers().bytes())
          .isEqualTo(64L * Float.BYTES * outputs);
      NetworkSettings sign = NetworkSettings.of(new Sign(3)).withHidden(List.of(16));
      assertThat(OneRank.plan(dataset, sign).buffers().bytes())
          .isEqualTo(64L * Float.BYTES * (4 * 16 + outputs + FEATURES + 16));
      OptimizerRule adam = new OptimizerRule.Adam(0);
      assertThat(OneRank.rankPlan(dataset).memoryOfThreads(sgc, adam, 1).bytes(HopPlan.KEPT))
          .isEqualTo(64L * FEATURES * Float.BYTES);
      assertThat(OneRank.rankPlan(dataset).memoryOfThreads(sign, adam, 1).bytes(HopPlan.KEPT))
          .isEqualTo(4 * 64L * FEATURES * Float.BYTES);
    }
  }

  static double decay(GraphData dataset, NetworkSettings settings, String name) {
    return OneRank.plan(dataset, settings).network().layout().entry(name).decay();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GELU|NONE|false||activation: a network of one layer has no hidden layer",
        "|LAYER|false||norm: a network of one layer has no hidden layer",
        "|NONE|true||residual: a network of one layer has no hidden layer",
        "|NONE|true|8|residual: expected at least 2 hidden layers, found 1; set layers to 3",
        "|NONE|true|8,4|hidden: expected one width for all hidden layers with residual, found"
      })
  void whatNothingReadsIsRefused(
      @Nullable Function activation,
      Norm norm,
      boolean residual,
      @Nullable String hidden,
      String message) {
    List<Integer> widths =
        hidden == null
            ? List.of()
            : Arrays.stream(hidden.split(",")).map(Integer::valueOf).toList();
    assertRefused(new Gcn(), widths, new Finish(activation, norm, residual), message);
  }

  static Stream<Arguments> refusedJumps() {
    return Stream.of(
        Arguments.of(
            new Gcn(),
            Jumping.MAX,
            List.of(),
            "jumping: a network of one layer has no hidden layer"),
        Arguments.of(
            new Gcn(),
            Jumping.MAX,
            List.of(8, 4),
            "hidden: expected one width for all hidden layers with jumping max, found [8, 4]"),
        Arguments.of(
            new Sage(),
            Jumping.SUM,
            List.of(8, 4),
            "hidden: expected one width for all hidden layers with jumping sum, found [8, 4]"),
        Arguments.of(
            new Gcn(),
            Jumping.CONCAT,
            List.of(1 << 30),
            "hidden: expected at most 2147483647 columns of all hidden layers with jumping concat,"
                + " found 2147483648"),
        Arguments.of(
            new Gcn(),
            Jumping.MAX,
            List.of(1 << 30),
            "hidden: expected at most 2147483647 columns of all hidden layers with jumping max,"
                + " found 2147483648"),
        Arguments.of(
            new Appnp(),
            Jumping.SUM,
            List.of(8),
            "jumping: model appnp does not read it; leave it out"),
        Arguments.of(
            new Gcnii(),
            Jumping.SUM,
            List.of(8, 8),
            "jumping: model gcnii does not read it; leave it out"),
        Arguments.of(
            new Mlp(),
            Jumping.CONCAT,
            List.of(8),
            "jumping: model mlp does not look at neighbours; leave it out"),
        Arguments.of(
            new Sign(),
            Jumping.CONCAT,
            List.of(8),
            "jumping: model sign does not look at neighbours; leave it out"));
  }

  @ParameterizedTest
  @MethodSource("refusedJumps")
  void jumpsThatCannotBeAreRefused(
      LayerKind kind, Jumping jumping, List<Integer> hidden, String message) {
    assertRefused(kind, hidden, Finish.USUAL.withJumping(jumping), message);
  }

  /// A network that cannot have what is put around its layers.
  static void assertRefused(LayerKind kind, List<Integer> hidden, Finish finish, String message) {
    NetworkSettings network = NetworkSettings.of(kind).withHidden(hidden);
    assertThatThrownBy(() -> network.withFinish(finish))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith(message);
  }
}
