package dev.gossamer.gnn.fullgraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.fixture.OneRank;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.state.DenseState;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Networks of graph attention on whole graphs, one of whose vertices is isolated.
class AttentionTrainingTest {
  private static final int N = 41;
  private static final int FEATURES = 9;
  private static final long SEED = 1;
  private static final int EPOCH = 5;

  /// Every product of a pass sums at most `N` or a width of terms of about 1, in float32; a pass
  /// has a few of them in a row.
  private static final double TOLERANCE = 64 * N * Math.ulp(1f);

  /// A network and its graph.
  record Case(
      Variant variant,
      int heads,
      List<Integer> hidden,
      double dropout,
      double attentionDropout,
      double inputDropout,
      boolean selfLoops,
      boolean directed,
      boolean sparse) {
    NetworkSettings settings() {
      return AttentionTrainingTest.settings(
          variant, heads, hidden, dropout, attentionDropout, inputDropout, selfLoops);
    }
  }

  private static NetworkSettings settings(
      Variant variant,
      int heads,
      List<Integer> hidden,
      double dropout,
      double attentionDropout,
      double inputDropout,
      boolean selfLoops) {
    return new NetworkSettings(
        new Gat(heads, variant, attentionDropout),
        hidden,
        dropout,
        inputDropout,
        0,
        Normalisation.NONE,
        selfLoops,
        Decayed.ALL,
        Finish.USUAL,
        LinkDecoder.DOT);
  }

  static Stream<Case> cases() {
    return Stream.of(Variant.values())
        .flatMap(variant ->
            Stream.of(
                new Case(variant, 1, List.of(), 0, 0, 0, true, false, false),
                new Case(variant, 3, List.of(), 0, 0.4, 0, false, true, true),
                new Case(variant, 1, List.of(5), 0, 0, 0, false, false, false),
                new Case(variant, 4, List.of(12), 0, 0, 0, true, true, false),
                new Case(variant, 4, List.of(12), 0.4, 0.3, 0.2, false, true, true),
                new Case(variant, 2, List.of(34, 6), 0, 0.5, 0, true, false, true),
                new Case(variant, 2, List.of(32, 2), 0.3, 0.3, 0.3, true, true, false),
                new Case(variant, 17, List.of(17), 0, 0.3, 0, true, false, false)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void lossAndGradientsEqualTheNaiveNetwork(Case what) {
    NetworkSettings settings = what.settings();
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, what.directed(), what.sparse(), 3);
        Workers workers = new Workers(2);
        FullGraphTrainer trainer = trainer(dataset, settings, workers)) {
      DenseState state = trainer.state();
      // Rows whose inputs are all dropped sit in a corner of ReLU as long as the bias is 0.
      state.layout().entries().stream()
          .filter(entry -> entry.rows() == 1)
          .forEach(entry -> state.weight(entry.name()).fill(0.05f));
      float[] weights = state.weights().toArray(ValueLayout.JAVA_FLOAT);
      ReferenceAttention reference =
          new ReferenceAttention(dataset, settings, state.layout(), weights, SEED, EPOCH);
      assertThat(trainer.train(EPOCH, 0)).isCloseTo(reference.loss(), within(TOLERANCE));
      float[] found = state.gradients().toArray(ValueLayout.JAVA_FLOAT);
      // All of a small network, and some of every parameter of a large one.
      for (int i = 0; i < found.length; i += 1 + found.length / 100) {
        assertThat((double) found[i])
            .as("gradient %d of %s", i, state.layout())
            .isCloseTo(reference.gradient(i), within(TOLERANCE));
      }
      double whole =
          new ReferenceAttention(dataset, settings, state.layout(), weights, SEED, -1).loss();
      assertThat(trainer.evaluate().train().loss()).isCloseTo(whole, within(TOLERANCE));
    }
  }

  @Tag("slow")
  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    NetworkSettings settings = settings(Variant.MB, 4, List.of(32, 20), 0.4, 0.3, 0.2, true);
    assertThat(trained(settings, 1))
        .isEqualTo(trained(settings, 2))
        .isEqualTo(trained(settings, 5));
  }

  private static float[] trained(NetworkSettings settings, int threads) {
    try (GraphData dataset = SmallGraphs.of(20 * N, FEATURES, true, false, 6);
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
    return OneRank.fullGraph(dataset, settings, SEED, workers);
  }
}
