package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.Features;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final MinibatchSettings BATCHES = MinibatchSettings.of(Sampler.sage(3, 3));

  private static double dropped(
      LayerKind kind, @Nullable Double asked, Features x, @Nullable MinibatchSettings batches) {
    return Architecture.of(kind)
        .withDropout(new Architecture.DropoutRates(0.5, asked))
        .network(x, batches, Decayed.ALL)
        .inputDropout();
  }

  @Test
  void sparseFeaturesAreDroppedWhereThatIsUsual() {
    try (Dataset words = ExampleGraphs.sparse(30, 1);
        Dataset numbers = ExampleGraphs.dense(30, 1)) {
      Features sparse = words.data().features();
      Features dense = numbers.data().features();
      assertThat(dropped(new Sage(), null, sparse, BATCHES)).isEqualTo(0.2);
      assertThat(dropped(new Sage(), 0.0, sparse, BATCHES)).isZero();
      assertThat(dropped(new Sage(), null, dense, BATCHES)).isZero();
      assertThat(dropped(new Sage(), null, sparse, null)).isZero();
      assertThat(dropped(new Gcn(), null, sparse, BATCHES)).isZero();
      assertThat(dropped(new Gcn(), 0.4, dense, null)).isEqualTo(0.4);
    }
  }
}
