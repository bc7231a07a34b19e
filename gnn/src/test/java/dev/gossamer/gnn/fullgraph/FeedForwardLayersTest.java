package dev.gossamer.gnn.fullgraph;

import static dev.gossamer.gnn.fullgraph.FinishedLayersTest.network;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.ShareOf;
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
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Rgcn;
import dev.gossamer.gnn.stack.Rsage;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.GraphData;
import dev.gossamer.nn.layers.Activation.Function;
import dev.gossamer.nn.layers.GraphAttention.Variant;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Networks in whose hidden layers a dense layer follows the activation.
class FeedForwardLayersTest {
  private static final Finish FEEDING = Finish.USUAL.withFeedForward(true);

  private static final Finish EVERYTHING =
      new Finish(Function.GELU, Norm.LAYER, true).withFeedForward(true);

  private static final Finish SLOPED =
      new Finish(Function.PRELU, Norm.BATCH, true).withFeedForward(true);

  static Stream<Arguments> cases() {
    Gat attention = new Gat(2, Variant.STANDARD, 0.3);
    return FinishedLayersTest.inEveryWay(
        Stream.of(
            network(new Gcn(), List.of(5), FEEDING, 0.4),
            network(new Gcn(), List.of(17, 17), SLOPED, 0.3),
            network(new Gcn(), List.of(6, 6), EVERYTHING.withInputProjection(true), 0.3),
            network(new Gcn(), List.of(6), FEEDING.withInputProjection(true), 0.3),
            network(new Sage(), List.of(6, 6), EVERYTHING.withJumping(Jumping.MAX), 0.3),
            network(new Gin(), List.of(7, 12), FEEDING, 0.3),
            network(attention, List.of(6, 10), FEEDING, 0.3),
            network(attention, List.of(6, 6), EVERYTHING.withInputProjection(true), 0.3),
            network(new Gat(3, Variant.V2, 0.2), List.of(12, 6), FEEDING, 0),
            network(new Rgcn(2), List.of(7, 5), FEEDING, 0.3),
            network(new Rsage(), List.of(6, 6), SLOPED.withInputProjection(true), 0.3),
            network(new Mlp(), List.of(6, 6), EVERYTHING, 0.3),
            network(new Sign(1), List.of(5, 10), EVERYTHING, 0.3)));
  }

  @ParameterizedTest
  @ShareOf("cases")
  void lossAndGradientsEqualTheNaiveNetwork(
      NetworkSettings settings, boolean directed, boolean sparse, Input input) {
    FinishedLayersTest.assertEqualsNaive(settings, directed, sparse, input);
  }

  @Tag("slow")
  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    NetworkSettings settings =
        NetworkSettings.of(new Gcn()).withHidden(List.of(20, 20)).withFinish(EVERYTHING);
    assertThat(FinishedLayersTest.trained(settings, 1))
        .isEqualTo(FinishedLayersTest.trained(settings, 5));
  }

  /// The result of the layer, and the input of the dense layer.
  @Test
  void thePlanHasWhatIsKept() {
    try (GraphData dataset = SmallGraphs.of(64, 9, false, true, 4)) {
      NetworkSettings plain = NetworkSettings.of(new Gcn()).withHidden(List.of(16, 16));
      long before = OneRank.plan(dataset, plain).buffers().bytes();
      assertThat(OneRank.plan(dataset, plain.withFinish(FEEDING)).buffers().bytes())
          .isEqualTo(before + 2 * 2 * 64L * 16 * Float.BYTES);
    }
  }

  @Test
  void weightDecayApplies() {
    try (GraphData dataset = SmallGraphs.of(64, 9, false, true, 4)) {
      NetworkSettings all =
          NetworkSettings.of(new Gcn()).withHidden(List.of(8, 8)).withFinish(FEEDING);
      assertThat(FinishedLayersTest.decay(dataset, all, "layers.1.feed_forward.weight"))
          .isEqualTo(1);
      assertThat(FinishedLayersTest.decay(dataset, all, "layers.1.feed_forward.bias")).isZero();
      NetworkSettings first = all.withDecayed(Decayed.FIRST_LAYER);
      assertThat(FinishedLayersTest.decay(dataset, first, "layers.0.feed_forward.weight"))
          .isEqualTo(1);
      assertThat(FinishedLayersTest.decay(dataset, first, "layers.1.feed_forward.weight")).isZero();
    }
  }

  static Stream<Arguments> refused() {
    String unread = "feedForward: model %s does not read it; leave it out";
    return Stream.of(
        Arguments.of(new Appnp(), List.of(8), unread.formatted("appnp")),
        Arguments.of(new Gcnii(), List.of(8, 8), unread.formatted("gcnii")),
        Arguments.of(
            new Gcn(),
            List.of(),
            "feedForward: a network of one layer has no hidden layer that it could belong to"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatHasNoUseForItIsRefused(LayerKind kind, List<Integer> hidden, String message) {
    FinishedLayersTest.assertRefused(kind, hidden, FEEDING, message);
  }
}
