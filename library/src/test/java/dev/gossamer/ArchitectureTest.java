package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Gat;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.Normalisation;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final MinibatchSettings BATCHES = MinibatchSettings.of(Sampler.sage(3, 3));

  private static double dropped(
      LayerKind kind, @Nullable Double asked, Dataset data, @Nullable MinibatchSettings batches) {
    return Architecture.of(kind)
        .withDropout(new Architecture.DropoutRates(0.5, asked))
        .network(data.data(), batches, Decayed.ALL)
        .inputDropout();
  }

  @Test
  void sparseFeaturesAreDroppedWhereThatIsUsual() {
    try (Dataset words = ExampleGraphs.sparse(30, 1);
        Dataset numbers = ExampleGraphs.dense(30, 1)) {
      assertThat(dropped(new Sage(), null, words, BATCHES)).isEqualTo(0.2);
      assertThat(dropped(new Sage(), 0.0, words, BATCHES)).isZero();
      assertThat(dropped(new Sage(), null, numbers, BATCHES)).isZero();
      assertThat(dropped(new Sage(), null, words, null)).isZero();
      assertThat(dropped(new Gcn(), null, words, BATCHES)).isZero();
      assertThat(dropped(new Gcn(), 0.4, numbers, null)).isEqualTo(0.4);
    }
  }

  @Test
  void aWidthIsThatOfAllHiddenLayersOrOfOne() {
    assertThat(Architecture.widths(null, List.of(9, 7))).containsExactly(9, 7);
    assertThat(Architecture.widths(3, List.of(9))).containsExactly(9, 9);
    assertThat(Architecture.widths(3, List.of(9, 7))).containsExactly(9, 7);
    assertThat(Architecture.widths(1, List.of(9))).isEmpty();
    assertThatThrownBy(() -> Architecture.widths(4, List.of(9, 7)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("hidden: expected 1 or 3 widths for 4 layers, found 2");
    assertThatThrownBy(() -> Architecture.widths(0, List.of(9)))
        .hasMessage("layers: expected at least 1, found 0");
  }

  @Test
  void layersThatWeighNeighboursThemselvesTakeNoNormalisation() {
    Architecture attention = Architecture.of(new Gat());
    Architecture.View normalised = new Architecture.View(Normalisation.NONE, null);
    assertThatThrownBy(() -> attention.withView(normalised))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("normalisation: model gat weighs neighbours itself; leave it out");
  }
}
