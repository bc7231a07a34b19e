package dev.gossamer.gnn.fullgraph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fixture.OneRank;
import dev.gossamer.gnn.fullgraph.GraphProducts.Input;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.memory.BufferPlan.Buffer;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

class RankPlanTest {
  private static final int N = 61;

  private static NetworkSettings settings(LayerKind model) {
    return NetworkSettings.of(model).withHidden(List.of(16, 16)).withDropout(0, 0);
  }

  /// MG, section 4.2: `L` layers, one shared, and the dense input; two more for broadcasts that
  /// overlap, one without. All but the input are of the layers' widths, however wide it is.
  @Test
  void anObliviousRunHasTheBuffersOfThePaper() {
    for (int features : new int[] {7, 100}) {
      try (GraphData dataset = SmallGraphs.of(N, features, false, false, 1)) {
        for (boolean overlap : new boolean[] {false, true}) {
          RankPlan plan =
              RankPlan.of(
                  new PlacedGraph(dataset, Placement.block(N, 4)),
                  new ExchangeStrategy(Kind.OBLIVIOUS, 1, overlap));
          NetworkSettings settings = settings(new Gcn());
          assertThat(plan.network(0, settings).buffers().buffers())
              .containsExactly(
                  new Buffer("layer 1", 16, 16),
                  new Buffer("layer 2", 16, 16),
                  new Buffer("layer 3", 16, SmallGraphs.CLASSES),
                  new Buffer("shared", 16, 16),
                  new Buffer("input", 16, features));
          assertThat(plan.exchangeBuffers(0, settings).buffers())
              .extracting(Buffer::cols)
              .isEqualTo(Collections.nCopies(overlap ? 2 : 1, 16));
          // Blocks of columns are packed to be sent, where other blocks arrive.
          assertThat(plan.exchangeBuffers(0, settings).buffers().getFirst().rows())
              .isEqualTo(features > 16 ? 16 : 15);
        }
      }
    }
  }

  @Test
  void remoteRowsAreHeldInTheWidthsOfTheLayers() {
    try (GraphData dataset = SmallGraphs.of(N, 100, true, false, 1)) {
      RankPlan plan =
          RankPlan.of(
              new PlacedGraph(dataset, Placement.random(N, 4, 1)),
              new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true));
      assertThat(plan.exchangeBuffers(1, settings(new Gcn())).buffers())
          .extracting(Buffer::cols)
          .containsExactly(16, 16);
      assertThat(plan.columnsAtOnce(settings(new Gcn()))).isEqualTo(16);
      // A layer that drops its input aggregates it in every epoch, as wide as it is.
      NetworkSettings dropping = settings(new Sage()).withDropout(0, 0.1);
      assertThat(plan.columnsAtOnce(dropping)).isEqualTo(100);
    }
  }

  /// Whatever the limit: what is chosen fits if anything does. Under some pressure a network of two
  /// narrow aggregations divides them; one that aggregates twice as much, in as many messages,
  /// recomputes.
  @Test
  void theProductsThatCostLeastWithinTheLimit() {
    OptimizerRule rule = new OptimizerRule.Adam(0);
    try (GraphData dataset = SmallGraphs.of(N, 100, true, false, 1)) {
      for (LayerKind model : List.of(new Gcn(), new Sage())) {
        NetworkSettings settings = settings(model);
        RankPlan usual =
            RankPlan.of(
                new PlacedGraph(dataset, Placement.random(N, 4, 1)),
                new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true));
        ToLongFunction<RankPlan> bytes = plan -> plan.memoryOfThreads(settings, rule, 1).bytes();
        long most = bytes.applyAsLong(usual);
        long least = bytes.applyAsLong(usual.within(0, settings, bytes));
        assertThat(usual.within(most, settings, bytes)).isSameAs(usual);
        Set<GraphProducts> chosen = new LinkedHashSet<>();
        for (long limit = most - 1; limit >= least; limit -= 500) {
          RankPlan plan = usual.within(limit, settings, bytes);
          assertThat(bytes.applyAsLong(plan)).isLessThanOrEqualTo(limit);
          chosen.add(plan.products());
        }
        GraphProducts usually = usual.products();
        boolean divides = model instanceof Gcn;
        assertThat(chosen)
            .hasSizeGreaterThan(4)
            .startsWith(divides ? usually.withColumns(8) : usually.withInput(Input.RECOMPUTED));
        assertThat(chosen).last().extracting(GraphProducts::input).isEqualTo(Input.RECOMPUTED);
        RankPlan refused = usual.within(least - 1, settings, bytes);
        assertThat(bytes.applyAsLong(refused)).isEqualTo(least);
      }
    }
  }

  /// Of one rank, which exchanges nothing, only the input gives way.
  @Test
  void oneRankRecomputesWhatItCannotKeep() {
    OptimizerRule rule = new OptimizerRule.Adam(0);
    try (GraphData dataset = SmallGraphs.of(N, 100, false, false, 1)) {
      RankPlan usual = OneRank.rankPlan(dataset);
      NetworkSettings settings = settings(new Gcn());
      ToLongFunction<RankPlan> bytes = plan -> plan.memoryOfThreads(settings, rule, 1).bytes();
      RankPlan plan = usual.within(bytes.applyAsLong(usual) - 1, settings, bytes);
      assertThat(plan.products()).isEqualTo(usual.products().withInput(Input.RECOMPUTED));
      assertThat(bytes.applyAsLong(plan)).isEqualTo(bytes.applyAsLong(usual) - 4L * N * 100);
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
      assertThat(bytes(threads, "thread scratch")).isEqualTo(4 * Workers.bytes(1));
      assertThat(bytes(threads, "Java runtime")).isEqualTo(MemoryEstimate.runtimeBytes(4, 1));
      assertThat(bytes(process, "Java runtime")).isEqualTo(MemoryEstimate.runtimeBytes(1, 1));
    }
  }

  private static long bytes(MemoryEstimate estimate, String item) {
    return estimate.items().stream()
        .filter(i -> i.name().equals(item))
        .mapToLong(MemoryEstimate.Item::bytes)
        .sum();
  }
}
