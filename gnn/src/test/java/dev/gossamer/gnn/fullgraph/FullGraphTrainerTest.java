package dev.gossamer.gnn.fullgraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.fixture.OneRank;
import dev.gossamer.gnn.fullgraph.GraphProducts.Input;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.nn.state.DenseState;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FullGraphTrainerTest {
  private static final int N = 41;
  private static final int FEATURES = 9;

  /// Every product of a pass sums at most `N` or a width of terms of about 1, in float32; a pass
  /// has a few of them in a row.
  private static final double TOLERANCE = 64 * N * Math.ulp(1f);

  private static NetworkSettings settings(
      LayerKind model, List<Integer> hidden, double dropout, double inputDropout) {
    boolean sage = model instanceof Sage;
    Normalisation normalisation = sage ? Normalisation.ROW_MEAN : Normalisation.SYMMETRIC;
    return new NetworkSettings(
        model,
        hidden,
        dropout,
        inputDropout,
        0,
        normalisation,
        !sage,
        Decayed.ALL,
        Finish.USUAL,
        LinkDecoder.DOT);
  }

  static Stream<Arguments> networks() {
    return Stream.of(
        Arguments.of(new Gcn(), List.of(), false, false),
        Arguments.of(new Gcn(), List.of(5), false, false),
        Arguments.of(new Gcn(), List.of(5), false, true),
        Arguments.of(new Gcn(), List.of(5), true, true),
        Arguments.of(new Gcn(), List.of(4, 17), true, false),
        Arguments.of(new Gcn(), List.of(16, 4, 8), false, true),
        Arguments.of(new Sage(), List.of(), false, false),
        Arguments.of(new Sage(), List.of(), true, true),
        Arguments.of(new Sage(), List.of(5), true, false),
        Arguments.of(new Sage(), List.of(4, 17), true, true),
        Arguments.of(new Sage(), List.of(16, 4, 8), false, false),
        Arguments.of(new Mlp(), List.of(16, 4), false, false),
        Arguments.of(new Mlp(), List.of(7), true, true));
  }

  @ParameterizedTest
  @MethodSource("networks")
  void lossAndGradientsEqualTheNaiveNetwork(
      LayerKind model, List<Integer> hidden, boolean directed, boolean sparse) {
    for (Input input : Input.values()) {
      lossAndGradientsEqualTheNaiveNetwork(model, hidden, directed, sparse, input);
    }
  }

  private static void lossAndGradientsEqualTheNaiveNetwork(
      LayerKind model, List<Integer> hidden, boolean directed, boolean sparse, Input input) {
    NetworkSettings settings = settings(model, hidden, 0, 0);
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, directed, sparse, 3);
        Workers workers = new Workers(2);
        FullGraphTrainer trainer = OneRank.fullGraph(dataset, settings, input, 1, workers)) {
      boolean sage = model instanceof Sage;
      String weight = sage ? ".neighbour_weight" : ".weight";
      int layers = hidden.size() + 1;
      double[][][] weights = weights(trainer.state(), layers, weight);
      double[][][] selfWeights =
          sage ? weights(trainer.state(), layers, ".self_weight") : zeros(weights);
      ReferenceNetwork reference = new ReferenceNetwork(dataset, model, weights, selfWeights);
      double expected = reference.lossAndGradients();
      assertThat(trainer.train(0, 0)).isCloseTo(expected, within(TOLERANCE));
      for (int l = 0; l < layers; l++) {
        DenseState state = trainer.state();
        String name = "layers." + l;
        assertClose(state.gradient(name + weight), reference.weightGradient(l));
        if (sage) {
          assertClose(state.gradient(name + ".self_weight"), reference.selfGradient(l));
        }
        double[][] bias = {reference.biasGradient(l)};
        assertClose(state.gradient(name + ".bias"), bias);
      }
    }
  }

  private static void assertClose(DenseMatrix found, double[][] expected) {
    for (int i = 0; i < found.rows(); i++) {
      for (int j = 0; j < found.cols(); j++) {
        assertThat((double) found.get(i, j)).isCloseTo(expected[i][j], within(TOLERANCE));
      }
    }
  }

  static Stream<Arguments> dropouts() {
    return Stream.of(
        Arguments.of(new Gcn(), List.of(6), false, 0.4, 0.0),
        Arguments.of(new Gcn(), List.of(6, 12), false, 0.4, 0.3),
        Arguments.of(new Gcn(), List.of(12), true, 0.5, 0.5),
        Arguments.of(new Sage(), List.of(6), false, 0.4, 0.0),
        Arguments.of(new Sage(), List.of(6, 12), false, 0.4, 0.3),
        Arguments.of(new Sage(), List.of(12), true, 0.5, 0.5),
        Arguments.of(new Mlp(), List.of(12), true, 0.5, 0.5));
  }

  /// Dropout is drawn by counters, so an epoch told twice drops the same elements, and the loss is
  /// a function that can be differentiated numerically.
  @ParameterizedTest
  @MethodSource("dropouts")
  void gradientsEqualCentralDifferences(
      LayerKind model, List<Integer> hidden, boolean sparse, double dropout, double inputDropout) {
    double h = 1 / 128.0;
    // Rounding of two losses over 2 h, and the third derivative's h^2.
    double tolerance = 16 * Math.ulp(1f) / h + 4 * h * h;
    int epoch = 5;
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, true, sparse, 8);
        Workers workers = new Workers(1);
        FullGraphTrainer trainer =
            trainer(dataset, settings(model, hidden, dropout, inputDropout), workers)) {
      DenseState state = trainer.state();
      // A row whose inputs are all dropped sits in ReLU's corner as long as the bias is 0.
      for (int l = 0; l < hidden.size(); l++) {
        state.weight("layers." + l + ".bias").fill(0.3f);
      }
      trainer.train(epoch, 0);
      float[] gradients = state.gradients().toArray(ValueLayout.JAVA_FLOAT);
      int wrong = 0;
      for (int i = 0; i < gradients.length; i += 3) {
        float weight = state.weights().getAtIndex(ValueLayout.JAVA_FLOAT, i);
        double slope = slopeAt(trainer, epoch, i, weight, h);
        if (Math.abs(slope - gradients[i]) > tolerance) {
          // Next to a corner of ReLU the difference quotient is no derivative; half the step must
          // then come closer.
          double finer = slopeAt(trainer, epoch, i, weight, h / 8);
          wrong += Math.abs(finer - gradients[i]) > 8 * tolerance ? 1 : 0;
        }
      }
      assertThat(wrong).isZero();
    }
  }

  private static double slopeAt(
      FullGraphTrainer trainer, int epoch, int i, float weight, double h) {
    float up = (float) (weight + h);
    float down = (float) (weight - h);
    trainer.state().weights().setAtIndex(ValueLayout.JAVA_FLOAT, i, up);
    double above = trainer.train(epoch, 0);
    trainer.state().weights().setAtIndex(ValueLayout.JAVA_FLOAT, i, down);
    double below = trainer.train(epoch, 0);
    trainer.state().weights().setAtIndex(ValueLayout.JAVA_FLOAT, i, weight);
    return (above - below) / ((double) up - down);
  }

  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    NetworkSettings settings = settings(new Gcn(), List.of(16, 8), 0.5, 0.2);
    assertThat(trained(settings, 1))
        .isEqualTo(trained(settings, 2))
        .isEqualTo(trained(settings, 5));
  }

  @Test
  void anotherSeedGivesOtherBits() {
    NetworkSettings settings = settings(new Gcn(), List.of(16), 0.5, 0);
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, false, false, 4);
        Workers workers = new Workers(1);
        FullGraphTrainer one = trainer(dataset, settings, workers);
        FullGraphTrainer other = OneRank.fullGraph(dataset, settings, 2, workers)) {
      assertThat(one.train(0, 0.1)).isNotEqualTo(other.train(0, 0.1));
    }
  }

  @Test
  void aDenseInputWithoutDropoutIsAggregatedOnce() {
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, false, false, 4)) {
      NetworkPlan plan = OneRank.plan(dataset, settings(new Gcn(), List.of(4, 20), 0.5, 0));
      assertThat(plan.aggregatesInput()).isTrue();
      assertThat(plan.network().layers().stream().map(GraphLayer::order))
          .containsExactly(Order.TRANSFORM_ONLY, Order.AGGREGATE_FIRST, Order.TRANSFORM_FIRST);
    }
  }

  /// What is recomputed takes no more than the layers' buffers: a layer that narrows transforms
  /// first, one that widens aggregates into what layers share.
  @Test
  void whatIsRecomputedTakesNoBufferOfItsOwn() {
    int wide = FEATURES + 3;
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, false, false, 4)) {
      assertThat(recomputed(dataset, new Gcn(), 4)).isEqualTo(Order.TRANSFORM_FIRST);
      assertThat(recomputed(dataset, new Gcn(), wide)).isEqualTo(Order.AGGREGATE_FIRST);
      assertThat(recomputed(dataset, new Sage(), 4)).isEqualTo(Order.TRANSFORM_FIRST);
    }
  }

  private static Order recomputed(GraphData dataset, LayerKind model, int width) {
    RankPlan usual = OneRank.rankPlan(dataset);
    NetworkSettings settings = settings(model, List.of(width, width), 0, 0);
    NetworkPlan plan =
        usual.with(usual.products().withInput(Input.RECOMPUTED)).network(0, settings);
    assertThat(plan.aggregatesInput()).isFalse();
    long kept = usual.network(0, settings).buffers().bytes();
    long features = 4L * N * FEATURES;
    long ownOfSage = model instanceof Sage ? 4L * N * width : 0;
    assertThat(plan.buffers().bytes()).isEqualTo(kept - features + ownOfSage);
    return plan.network().layers().getFirst().order();
  }

  @Test
  void thePlanHasOneBufferALayerAndOneShared() {
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, false, true, 4)) {
      NetworkPlan plan = OneRank.plan(dataset, settings(new Gcn(), List.of(8, 8, 8), 0.5, 0));
      assertThat(plan.buffers().buffers()).hasSize(4 + 1);
      assertThat(plan.buffers().bytes()).isEqualTo(4L * N * (8 + 8 + 8 + 3 + 8));
    }
  }

  @Test
  void trainingLearnsWhatThePlantedClassesTell() {
    NetworkSettings settings = settings(new Gcn(), List.of(16), 0, 0);
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, false, false, 4);
        Workers workers = new Workers(2);
        FullGraphTrainer trainer = trainer(dataset, settings, workers)) {
      double first = trainer.train(0, 0.05);
      double last = first;
      for (int epoch = 1; epoch < 200; epoch++) {
        last = trainer.train(epoch, 0.05);
      }
      assertThat(last).isLessThan(first / 10);
      assertThat(trainer.evaluate().train().accuracy()).isEqualTo(1);
      DenseMatrix probabilities = trainer.predictions();
      for (int v = 0; v < N; v++) {
        float sum = 0;
        for (int c = 0; c < SmallGraphs.CLASSES; c++) {
          sum += probabilities.get(v, c);
        }
        assertThat(sum).isCloseTo(1f, within(4 * Math.ulp(1f)));
      }
    }
  }

  private static float[] trained(NetworkSettings settings, int threads) {
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, true, false, 6);
        Workers workers = new Workers(threads);
        FullGraphTrainer trainer = trainer(dataset, settings, workers)) {
      for (int epoch = 0; epoch < 10; epoch++) {
        trainer.train(epoch, 0.02);
      }
      return trainer.state().weights().toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  private static FullGraphTrainer trainer(
      GraphData dataset, NetworkSettings settings, Workers workers) {
    return OneRank.fullGraph(dataset, settings, 1, workers);
  }

  private static double[][][] zeros(double[][][] like) {
    double[][][] zeros = new double[like.length][][];
    for (int l = 0; l < like.length; l++) {
      zeros[l] = new double[like[l].length][like[l][0].length];
    }
    return zeros;
  }

  private static double[][][] weights(DenseState state, int layers, String suffix) {
    double[][][] weights = new double[layers][][];
    for (int l = 0; l < layers; l++) {
      float[][] w = state.weight("layers." + l + suffix).toArray();
      weights[l] = new double[w.length][w[0].length];
      for (int i = 0; i < w.length; i++) {
        for (int j = 0; j < w[0].length; j++) {
          weights[l][i][j] = w[i][j];
        }
      }
    }
    return weights;
  }
}
