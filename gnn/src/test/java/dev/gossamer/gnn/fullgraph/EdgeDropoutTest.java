package dev.gossamer.gnn.fullgraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.comm.ShareOf;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fixture.OneRank;
import dev.gossamer.gnn.fullgraph.GraphProducts.Input;
import dev.gossamer.gnn.stack.Appnp;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.Gcnii;
import dev.gossamer.gnn.stack.Gin;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.GraphData;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.optimizer.OptimizerRule;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;

/// Networks of which each training step drops edges.
class EdgeDropoutTest {
  private static final int N = 41;
  private static final int FEATURES = 9;

  static Stream<LayerKind> kinds() {
    return Stream.of(
        new Gcn(),
        new Sage(),
        new Gin(),
        new Gin(3),
        new Gat(2, Variant.MB, 0),
        new Gat(2, Variant.STANDARD, 0.3),
        new Gat(2, Variant.V2, 0.3),
        new Gat(2, Variant.MB, 0.3, 3),
        new Gat(2, Variant.V2, 0.3, 3),
        new Rgcn(2),
        new Rsage(),
        new Appnp(3, 0.2),
        new Gcnii(0.2, 1));
  }

  private static NetworkSettings settings(LayerKind kind) {
    return NetworkSettings.of(kind)
        .withHidden(List.of(6, 6))
        .withDropout(0.3, 0)
        .withEdgeDropout(0.4);
  }

  static Stream<Arguments> cases() {
    return FinishedLayersTest.inEveryWay(kinds().map(EdgeDropoutTest::settings));
  }

  @ParameterizedTest
  @ShareOf("cases")
  void lossAndGradientsEqualTheNaiveNetwork(
      NetworkSettings settings, boolean directed, boolean sparse, Input input) {
    FinishedLayersTest.assertEqualsNaive(settings, directed, sparse, input);
  }

  @Tag("slow")
  @Test
  void jumpsToo() {
    Finish maxima = Finish.USUAL.withJumping(Jumping.MAX);
    FinishedLayersTest.assertEqualsNaive(
        settings(new Gcn()).withFinish(maxima), true, false, Input.KEPT);
  }

  @Tag("slow")
  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    for (LayerKind kind : List.of(new Gcn(), new Sage(), new Gat())) {
      NetworkSettings settings = NetworkSettings.of(kind).withEdgeDropout(0.3);
      assertThat(trained(settings, 1)).isEqualTo(trained(settings, 3));
    }
  }

  private static float[] trained(NetworkSettings settings, int threads) {
    try (GraphData dataset = SmallGraphs.of(40 * N, FEATURES, true, false, 6);
        Workers workers = new Workers(threads);
        FullGraphTrainer trainer = OneRank.fullGraph(dataset, settings, 1, workers)) {
      for (int epoch = 0; epoch < 3; epoch++) {
        trainer.train(epoch, 0.02);
      }
      return trainer.state().weights().toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  /// A number for each entry of `Â`, and of `Â^T` where that has others; of ranks, those of their
  /// own rows, and the ids of rows and columns.
  @Test
  void plansHaveWhatIsLeft() {
    try (GraphData dataset = SmallGraphs.of(N, FEATURES, false, false, 3)) {
      long entries = dataset.adjacency().nnz();
      assertThat(planned(dataset, new Gcn(), 1)).isEqualTo(4 * (entries + N));
      assertThat(planned(dataset, new Sage(), 1)).isEqualTo(2 * 4 * (entries + N));
      assertThat(planned(dataset, new Gcn(), 2)).isEqualTo(4 * (entries + N) + 2 * 8 * N);
    }
  }

  private static long planned(GraphData dataset, LayerKind kind, int ranks) {
    RankPlan plan =
        RankPlan.of(
            new PlacedGraph(dataset, Placement.block(N, ranks)),
            new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true));
    NetworkSettings settings = NetworkSettings.of(kind);
    return sparse(plan, settings.withEdgeDropout(0.5)) - sparse(plan, settings);
  }

  private static long sparse(RankPlan plan, NetworkSettings settings) {
    return plan.memoryOfThreads(settings, new OptimizerRule.Adam(0), 1).bytes("sparse kernels");
  }

  @Test
  void networksThatDoNotReadEdgesAreRefused() {
    for (LayerKind kind : List.of(new Sgc(), new Sign(), new Mlp())) {
      NetworkSettings network = NetworkSettings.of(kind);
      assertThatThrownBy(() -> network.withEdgeDropout(0.5))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage(
              "edgeDropout: model %s does not look at edges in training; leave it out"
                  .formatted(kind.name()));
    }
  }

  @Test
  void attentionOverNothingIsRefused() {
    NetworkSettings network = settings(new Gat(2, Variant.V2, 0));
    assertThatThrownBy(() -> network.withGraph(network.normalisation(), false))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "edgeDropout: model gat normalises over the edges that are left, of which there may be"
                + " none; expected selfLoops, which are never dropped, found none");
  }

  @Test
  void ratesThatAreNoneAreRefused() {
    NetworkSettings network = NetworkSettings.of(new Gcn());
    assertThatThrownBy(() -> network.withEdgeDropout(1))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith("edgeDropout: expected 0 <= rate < 1, found 1.0");
  }
}
