package dev.gossamer.gnn.minibatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.graph.Split;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.nn.Order;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.memory.BufferPlan;
import java.util.List;
import org.junit.jupiter.api.Test;

class MinibatchPlanTest {
  private static final OptimizerRule RULE = new OptimizerRule.Adam(0);

  private static MinibatchPlan plan(GraphData dataset, int ranks) {
    return MinibatchPlan.of(
        dataset, new NetworkTraining(MinibatchTrainerTest.settings(new Sage(), 2, 0, 0, Normalisation.ROW_MEAN), RULE, 1), ranks);
  }

  @Test
  void theBuffersAreThoseOfTheLargestBatch() {
    try (GraphData dataset = SmallGraphs.of(1000, 9, false, false, 1)) {
      MinibatchPlan plan = plan(dataset, 1);
      assertThat(plan.network().layers().stream().map(GraphLayer::order))
          .containsExactly(Order.AGGREGATE_AND_KEEP, Order.AGGREGATE_AND_KEEP);
      BufferPlan buffers =
          plan.buffers(MinibatchTrainerTest.minibatch(Sampler.sage(3, 2), 10, 1, 1));
      // 10 seeds, 40 sources of theirs, 120 sources of those; the shared memory is for the gradient
      // of the second layer's 40 inputs of width 12.
      assertThat(buffers.buffers())
          .containsExactly(
              new BufferPlan.Buffer("inputs", 120, 9),
              new BufferPlan.Buffer("layer 1", 40, 12),
              new BufferPlan.Buffer("kept by layer 1", 40, 9),
              new BufferPlan.Buffer("layer 2", 10, 3),
              new BufferPlan.Buffer("kept by layer 2", 10, 12),
              new BufferPlan.Buffer("shared", 40 * 12, 1));
    }
  }

  @Test
  void sparseFeaturesAreTransformedFirst() {
    try (GraphData dataset = SmallGraphs.of(100, 9, false, true, 1)) {
      assertThat(plan(dataset, 1).network().layers().getFirst().order())
          .isEqualTo(Order.TRANSFORM_FIRST);
    }
  }

  @Test
  void theLargestBulkFitsAndTheNextDoesNot() {
    try (GraphData dataset = SmallGraphs.of(4000, 9, false, false, 1)) {
      MinibatchPlan plan = plan(dataset, 1);
      MinibatchSettings one = MinibatchTrainerTest.minibatch(Sampler.sage(5, 5), 10, 1, 1);
      int batches = one.batches(4000, RankShare.labelled(dataset, Split.TRAIN).length);
      assertThat(plan.largestBulk(one, 1, 1, Long.MAX_VALUE)).isEqualTo(batches);
      assertThat(plan.largestBulk(one, 1, 1, 0)).isEqualTo(1);
      assertThat(plan.largestBulk(MinibatchTrainerTest.ahead(one), 1, 1, Long.MAX_VALUE))
          .isEqualTo(Math.ceilDiv(batches, 8));
      for (int k : new int[] {2, 17, batches - 1}) {
        long limit = plan.memory(one.withBulk(k), 1, 1).bytes();
        assertThat(plan.largestBulk(one, 1, 1, limit)).isEqualTo(k);
        assertThat(plan.largestBulk(one, 1, 1, limit - 1)).isEqualTo(k - 1);
      }
    }
  }

  @Test
  void aSubgraphsEpochDrawsAsManyVerticesAsThereAre() {
    assertThat(batches(Sampler.sage(2))).isEqualTo(3);
    assertThat(batches(Sampler.saintNode(1, 30))).isEqualTo(4);
    assertThat(batches(Sampler.saintEdge(1, 30))).isEqualTo(2);
    assertThat(batches(Sampler.saintWalk(1, 10, 3, 5))).isEqualTo(3);
  }

  private static int batches(Sampler sampler) {
    return MinibatchTrainerTest.minibatch(sampler, 10, 1, 1).batches(100, 25);
  }

  @Test
  void settingsThatCannotBeAreOneLine() {
    assertThatThrownBy(
            () -> new MinibatchSettings(Sampler.sage(2), 0, 1, 1, false, 1, 0, false, List.of()))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("--batch: expected at least 1, found 0");
    assertThatThrownBy(() ->
            new MinibatchSettings(Sampler.sage(2), 1, 1, 1, false, 1, 0, false, List.of(3, 0)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("--test-fanout: expected at least 1, found 0");
  }
}
