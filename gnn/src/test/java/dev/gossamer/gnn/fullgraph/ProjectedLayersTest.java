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
import dev.gossamer.gnn.stack.Sgc;
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

/// Networks that read a projection of the features.
class ProjectedLayersTest {
  private static final int FEATURES = 9;

  private static final Finish PROJECTING = Finish.USUAL.withInputProjection(true);

  private static final Finish EVERYTHING =
      new Finish(Function.GELU, Norm.LAYER, true).withInputProjection(true);

  private static final Finish SLOPED =
      new Finish(Function.PRELU, Norm.BATCH, true).withInputProjection(true);

  static Stream<Arguments> cases() {
    Gat attention = new Gat(2, Variant.STANDARD, 0.3);
    return FinishedLayersTest.inEveryWay(
        Stream.of(
            network(new Gcn(), List.of(5), PROJECTING, 0.4),
            network(new Gcn(), List.of(6), EVERYTHING, 0.3),
            network(new Gcn(), List.of(17, 17), SLOPED, 0.3),
            network(new Gcn(), List.of(6, 9), PROJECTING.withJumping(Jumping.CONCAT), 0.3),
            network(new Sage(), List.of(6, 17), PROJECTING, 0.3),
            network(new Sage(), List.of(6, 6), EVERYTHING.withJumping(Jumping.MAX), 0.3),
            network(new Gin(), List.of(7, 12), PROJECTING, 0.3),
            network(new Gin(3), List.of(7, 12), PROJECTING, 0.3),
            network(new Gin(2), List.of(6, 6), EVERYTHING, 0.3),
            network(attention, List.of(6, 6), PROJECTING, 0.3),
            network(attention, List.of(6, 6), EVERYTHING, 0),
            network(new Gat(3, Variant.V2, 0.2), List.of(12, 6), PROJECTING, 0.3),
            network(new Gat(2, Variant.MB, 0.3, 3), List.of(6, 6), SLOPED, 0.3),
            network(new Gat(2, Variant.V2, 0.3, 3), List.of(6, 6), SLOPED, 0.3),
            network(new Rgcn(2), List.of(7, 5), PROJECTING, 0.3),
            network(new Rsage(), List.of(6, 6), EVERYTHING, 0.3)));
  }

  @ParameterizedTest
  @ShareOf("cases")
  void lossAndGradientsEqualTheNaiveNetwork(
      NetworkSettings settings, boolean directed, boolean sparse, Input input) {
    FinishedLayersTest.assertEqualsNaive(settings, directed, sparse, input);
  }

  @Test
  void dropoutOfFeaturesAndEdgesIsBeforeIt() {
    NetworkSettings settings =
        NetworkSettings.of(new Gcn())
            .withHidden(List.of(6, 6))
            .withDropout(0.3, 0.2)
            .withEdgeDropout(0.3)
            .withFinish(PROJECTING);
    FinishedLayersTest.assertEqualsNaive(settings, false, false, Input.KEPT);
    FinishedLayersTest.assertEqualsNaive(settings, true, true, Input.RECOMPUTED);
  }

  @Tag("slow")
  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    for (LayerKind kind : List.of(new Gcn(), new Gat())) {
      NetworkSettings settings =
          NetworkSettings.of(kind).withHidden(List.of(20, 20)).withFinish(EVERYTHING);
      assertThat(FinishedLayersTest.trained(settings, 1))
          .isEqualTo(FinishedLayersTest.trained(settings, 5));
    }
  }

  /// `P`; with another activation also its argument, and of both hidden layers their results.
  @Test
  void thePlanHasWhatIsKept() {
    try (GraphData dataset = SmallGraphs.of(64, FEATURES, false, false, 4)) {
      NetworkSettings plain = NetworkSettings.of(new Gcn()).withHidden(List.of(16, 16));
      long matrix = 64L * 16 * Float.BYTES;
      long outputs = 64L * SmallGraphs.CLASSES * Float.BYTES;
      // The outputs of three layers, what is aggregated, and P: no input that is aggregated first.
      NetworkPlan projecting = OneRank.plan(dataset, plain.withFinish(PROJECTING));
      assertThat(projecting.aggregatesInput()).isFalse();
      assertThat(projecting.buffers().bytes()).isEqualTo(2 * matrix + outputs + matrix + matrix);
      Finish elu = new Finish(Function.ELU, Norm.NONE, false);
      assertThat(
              OneRank.plan(dataset, plain.withFinish(elu.withInputProjection(true)))
                  .buffers()
                  .bytes())
          .isEqualTo(projecting.buffers().bytes() + 3 * matrix);
    }
  }

  /// The projection belongs to the first layer.
  @Test
  void weightDecayApplies() {
    try (GraphData dataset = SmallGraphs.of(64, FEATURES, false, true, 4)) {
      NetworkSettings settings =
          NetworkSettings.of(new Gcn()).withFinish(SLOPED).withHidden(List.of(8, 8));
      for (Decayed decayed : Decayed.values()) {
        NetworkSettings network = settings.withDecayed(decayed);
        assertThat(FinishedLayersTest.decay(dataset, network, "layers.0.projection.weight"))
            .isEqualTo(1);
        assertThat(FinishedLayersTest.decay(dataset, network, "layers.0.projection.bias")).isZero();
        assertThat(FinishedLayersTest.decay(dataset, network, "layers.0.projection.slope"))
            .isZero();
        assertThat(FinishedLayersTest.decay(dataset, network, "layers.0.weight")).isEqualTo(1);
      }
    }
  }

  static Stream<Arguments> refused() {
    String projects = "inputProjection: model %s does not read it; leave it out";
    String alone = "inputProjection: model %s does not look at neighbours; leave it out";
    return Stream.of(
        Arguments.of(new Appnp(), List.of(8), projects.formatted("appnp")),
        Arguments.of(new Gcnii(), List.of(8, 8), projects.formatted("gcnii")),
        Arguments.of(new Sgc(), List.of(8), alone.formatted("sgc")),
        Arguments.of(new Sign(), List.of(8), alone.formatted("sign")),
        Arguments.of(new Mlp(), List.of(8), alone.formatted("mlp")),
        Arguments.of(
            new Gcn(),
            List.of(),
            "inputProjection: a network of one layer has no hidden layer that it could belong to"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatHasNoUseForItIsRefused(LayerKind kind, List<Integer> hidden, String message) {
    FinishedLayersTest.assertRefused(kind, hidden, PROJECTING, message);
  }

  /// The input of the only hidden layer has its width, too.
  @Test
  void oneHiddenLayerMayHaveAResidualConnection() {
    NetworkSettings network = NetworkSettings.of(new Gcn()).withHidden(List.of(8));
    assertThat(network.withFinish(EVERYTHING).finish().residual()).isTrue();
  }
}
