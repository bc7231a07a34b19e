package dev.gossamer.gnn.fullgraph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.memory.BufferPlan.Buffer;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.List;
import org.junit.jupiter.api.Test;

class RankPlanTest {
  private static final int N = 61;

  private static NetworkSettings settings(LayerKind model) {
    return new NetworkSettings(
        model, List.of(16, 16), 0, 0, Normalisation.SYMMETRIC, true, Decayed.ALL);
  }

  /// MG, section 4.2: `L` layers, one shared, and the dense input; two more for broadcasts that
  /// overlap, one without.
  @Test
  void anObliviousRunHasTheBuffersOfThePaper() {
    try (GraphData dataset = SmallGraphs.of(N, 7, false, false, 1)) {
      for (boolean overlap : new boolean[] {false, true}) {
        RankPlan plan =
            RankPlan.of(
                new PlacedGraph(dataset, Placement.block(N, 4)),
                new ExchangeStrategy(Kind.OBLIVIOUS, 1, overlap));
        NetworkSettings settings = settings(new Gcn());
        assertThat(plan.network(0, settings).buffers().buffers())
            .extracting(Buffer::name)
            .containsExactly("layer 1", "layer 2", "layer 3", "shared", "input");
        assertThat(plan.exchangeBuffers(0, settings).buffers()).hasSize(overlap ? 2 : 1);
        assertThat(plan.exchangeBuffers(0, settings).buffers().getFirst().rows()).isEqualTo(15);
      }
    }
  }

  @Test
  void aNetworkWithoutTheGraphExchangesNothing() {
    try (GraphData dataset = SmallGraphs.of(N, 7, false, false, 1)) {
      RankPlan plan =
          RankPlan.of(
              new PlacedGraph(dataset, Placement.block(N, 4)),
              new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true));
      assertThat(plan.exchangeBuffers(0, settings(new Mlp())).buffers()).isEmpty();
      assertThat(plan.exchangeBuffers(0, settings(new Gcn())).buffers()).hasSize(2);
    }
  }

  @Test
  void threadsNeedTheSumAndProcessesTheLargest() {
    OptimizerRule rule = new OptimizerRule.Adam(0);
    try (GraphData dataset = SmallGraphs.of(N, 7, true, false, 1)) {
      RankPlan plan =
          RankPlan.of(
              new PlacedGraph(dataset, Placement.random(N, 4, 1)),
              new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true));
      NetworkSettings settings = settings(new Gcn());
      MemoryEstimate threads = plan.memoryOfThreads(settings, rule, 1);
      MemoryEstimate process = plan.memoryOfProcess(settings, rule, 1);
      long sum = 0;
      for (int rank = 0; rank < 4; rank++) {
        sum += plan.network(rank, settings).buffers().bytes();
      }
      assertThat(bytes(threads, "buffers")).isEqualTo(sum);
      assertThat(bytes(process, "buffers")).isLessThan(sum);
      assertThat(bytes(threads, "features")).isEqualTo(bytes(process, "features"));
      assertThat(threads.bytes()).isGreaterThan(process.bytes());
    }
  }

  private static long bytes(MemoryEstimate estimate, String item) {
    return estimate.items().stream()
        .filter(i -> i.name().equals(item))
        .mapToLong(MemoryEstimate.Item::bytes)
        .sum();
  }
}
