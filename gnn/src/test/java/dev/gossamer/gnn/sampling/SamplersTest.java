package dev.gossamer.gnn.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SamplersTest {
  private static final SamplerRequest TWO = SamplerRequest.ofLayers(2);

  @Test
  void eachSamplerHasTheNameAndTheLayersThatItIsMadeFor() {
    for (SamplerKind kind : Samplers.all()) {
      Sampler made = kind.make(SamplerRequest.ofLayers(3));
      assertThat(made.name()).isEqualTo(kind.name());
      assertThat(made.layers()).isEqualTo(3);
      assertThat(made.usualBatchSize()).isEqualTo(Samplers.DEFAULT_BATCH_SIZE);
      assertThat(made.takesMeans()).isEqualTo(kind.takesMeans());
    }
    assertThat(Samplers.names()).startsWith("sage").doesNotHaveDuplicates();
  }

  @Test
  void everySamplerThatIsTestedIsRegistered() {
    Stream<String> drawn =
        Samplers.all().stream()
            .filter(kind -> kind.make(TWO).drawsNeighbours())
            .map(SamplerKind::name);
    assertThat(SmallGraph.samplers().stream().map(Sampler::name))
        .containsExactlyElementsOf(drawn.toList());
  }

  @Test
  void batchesWithoutNeighboursAreTheirOwnVertices() {
    int[] training = {3, 1, 7, 4};
    Sampler none = Samplers.of("none").make(TWO);
    try (Workers workers = new Workers(1);
        Arena arena = Arena.ofShared()) {
      AdjacencyRows rows = AdjacencyRows.whole(SmallGraph.random(20, 60, 1, false, false));
      SampledBatch batch =
          new BulkSampler(none, rows, training, 1, workers)
              .sample(arena, 0, 5, List.of(new int[] {7, 3}))
              .getFirst();
      assertThat(batch.number()).isEqualTo(5);
      assertThat(batch.lossWeights()).containsExactly(0.5f, 0.5f);
      assertThat(batch.blocks()).hasSize(2);
      for (SampledBlock block : batch.blocks()) {
        assertThat(block.sources()).containsExactly(7, 3);
        assertThat(block.destinations()).isEqualTo(2);
        assertThat(block.matrix().nnz()).isZero();
      }
      double[] read = none.inputProbabilities(rows, training, 2);
      for (int v = 0; v < read.length; v++) {
        boolean trained = v == 1 || v == 3 || v == 4 || v == 7;
        assertThat(read[v]).isEqualTo(trained ? 0.5 : 0);
      }
    }
  }

  @Test
  void numbersAreThoseOfTheRequestOrTheDefaults() {
    assertThat(Samplers.of("SAGE").make(TWO)).isEqualTo(Sampler.sage(10, 10));
    assertThat(Samplers.of("Sage").make(TWO.with("fanouts", List.of(15, 5))))
        .isEqualTo(Sampler.sage(15, 5));
    assertThat(Samplers.of("ladies").make(TWO.with("layerSizes", List.of(9))))
        .isEqualTo(Sampler.ladies(9, 9));
    assertThat(Samplers.of("ladies").make(TWO.withBatchSize(100)).sizes())
        .containsExactly(400, 800);
    assertThat(Samplers.of("saint-walk").make(TWO.withBatchSize(30)))
        .isEqualTo(Sampler.saintWalk(2, 30, 2));
  }

  /// Sizes that nobody asked for go by the batch, up to a bound.
  @Test
  void usualLayerSizesFollowTheBatch() {
    Sampler usual = Samplers.of("fastgcn").make(TWO);
    assertThat(usual.withBatchSize(10).sizes()).containsExactly(40, 80);
    assertThat(usual.withBatchSize(1_000_000).sizes()).containsExactly(1 << 15, 1 << 15);
    assertThat(usual.ofStep(400, 4).sizes()).containsExactly(800, 1600);
    Sampler asked = Sampler.fastGcn(7, 8);
    assertThat(asked.ofStep(400, 4)).isEqualTo(asked);
    assertThat(asked.withBatchSize(10)).isEqualTo(asked);
  }

  /// Subgraphs of a step that ranks draw of their own vertices shrink by the root of their number;
  /// a shared one is divided, and so stays as large.
  @Test
  void subgraphsOfAStepShrinkSlowlyOrNotAtAll() {
    Sampler walks = Sampler.saintWalk(2, 300, 2);
    assertThat(walks.ofStep(400, 4)).isEqualTo(Sampler.saintWalk(2, 200, 2));
    assertThat(walks.ofStep(400, 1)).isEqualTo(Sampler.saintWalk(2, 400, 2));
    assertThat(walks.ofSharedStep(400, 4))
        .isEqualTo(new SubgraphParts(Sampler.saintWalk(2, 400, 2), 4));
    assertThat(Sampler.sage(3, 2).ofSharedStep(400, 4)).isEqualTo(Sampler.sage(3, 2));
  }

  @Test
  void whatASamplerDoesNotReadIsRefused() {
    for (SamplerKind kind : Samplers.all()) {
      for (String component : List.of("fanouts", "layerSizes", "walkLength")) {
        SamplerRequest request = TWO.with(component, List.of(3));
        if (kind.reads().contains(component)) {
          assertThat(kind.make(request)).isNotEqualTo(kind.make(TWO));
        } else {
          refused(
              () -> kind.make(request),
              component + ": not a setting of sampler " + kind.name() + "; leave it out");
        }
      }
    }
  }

  @Test
  void wrongNumbersAreNamed() {
    refused(
        () -> Samplers.of("dice"),
        "sampler: expected one of sage, ladies, fastgcn, saint-node, saint-edge, saint-walk, none,"
            + " found 'dice'");
    refused(
        () -> Samplers.of("sage").make(TWO.with("fanouts", List.of(1, 2, 3))),
        "fanouts: expected 1 or 2 numbers for 2 layers, found 3");
    refused(
        () -> Samplers.of("fastgcn").make(TWO.with("layerSizes", List.of(0))),
        "layerSizes: expected at least 1, found 0");
    refused(
        () -> Samplers.of("saint-walk").make(TWO.with("walkLength", List.of(0))),
        "walkLength: expected at least 1, found 0");
    refused(
        () -> Samplers.of("saint-walk").make(TWO.with("walkLength", List.of(1, 2))),
        "walkLength: expected one number, found 2");
    refused(() -> TWO.withBatchSize(0), "batchSize: expected at least 1, found 0");
    refused(() -> Sampler.saintNode(1, 0), "batchSize: expected at least 1, found 0");
    refused(() -> Sampler.saintEdge(0, 1), "layers: expected at least 1, found 0");
  }

  private static void refused(ThrowingCallable made, String message) {
    assertThatThrownBy(made).isInstanceOf(InvalidSettingException.class).hasMessage(message);
  }
}
