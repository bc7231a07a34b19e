package dev.gossamer.pruned.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.pruned.layers.Layer;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.layers.Linear;
import dev.gossamer.pruned.layers.MaxPool;
import dev.gossamer.pruned.layers.Shape;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Numbers worked out by hand, for four blocks that are matrices of 100 x 100.
class IterationForecastTest {
  private static final StorageSettings WIDE =
      StorageSettings.DEFAULT.withPrecision(NumberFormat.FLOAT32).withProducts(Products.DENSE);

  /// Microbatches of two samples.
  private static final BatchSettings BATCHES =
      BatchSettings.DEFAULT.withBatch(8).withMicrobatch(2).withBucketBytes(40_000);

  /// A microbatch takes a second on two blocks: `2 samples x 2 blocks x 2 x 100 x 100` forwards,
  /// and twice that backwards.
  private static final double RATE = 240_000;

  private static final RankSpeed ALONE = new FlatSpeed(RATE, 0, 0);
  private static final RankSpeed LINKED = new FlatSpeed(RATE, 0.5, 1e-3);

  private static List<StagePart> stages(
      int inter, int data, StorageSettings storage, BatchSettings batches) {
    List<Layer> blocks = new ArrayList<>();
    for (int b = 0; b < 4; b++) {
      blocks.add(Linear.unbiased("block" + b, new Shape(1, 1, 100), 100, 0.1));
    }
    return stages(blocks, inter, data, storage, batches);
  }

  private static List<StagePart> stages(
      List<Layer> blocks, int inter, int data, StorageSettings storage, BatchSettings batches) {
    return StagePart.all(
        new LayerNetwork("blocks", blocks),
        new PipelineSettings(new RankGrid(inter, data), batches, 0),
        new StateSettings(storage, new OptimizerRule.AdamW(0.1), false, false));
  }

  private static void assertSeconds(
      IterationForecast found, double compute, double bubble, double messages, double gradients) {
    assertThat(found.compute()).as("computation").isCloseTo(compute, within(1e-9));
    assertThat(found.bubble()).as("bubble").isCloseTo(bubble, within(1e-9));
    assertThat(found.messages()).as("messages").isCloseTo(messages, within(1e-9));
    assertThat(found.gradients()).as("gradients").isCloseTo(gradients, within(1e-9));
    assertThat(found.seconds()).isCloseTo(compute + bubble + messages + gradients, within(1e-9));
  }

  @Test
  void thePhasesAddUpToTheIteration() {
    IterationForecast forecast = new IterationForecast(1, 2, 4, 8, 16);
    assertThat(forecast.byPhase())
        .containsExactly(
            entry("compute", 1.0),
            entry("bubble", 2.0),
            entry("point-to-point", 4.0),
            entry("collective", 8.0),
            entry("update", 16.0));
    assertThat(forecast.seconds()).isEqualTo(31);
  }

  @Test
  void computationAndBubbleAreThoseOfEquation7() {
    assertSeconds(IterationForecast.of(stages(1, 1, WIDE, BATCHES), 0, ALONE), 8, 0, 0, 0);
    assertSeconds(IterationForecast.of(stages(2, 1, WIDE, BATCHES), 0, ALONE), 4, 1, 0, 0);
    assertSeconds(IterationForecast.of(stages(4, 1, WIDE, BATCHES), 0, ALONE), 2, 1.5, 0, 0);
    // Of three stages one has two blocks.
    assertSeconds(IterationForecast.of(stages(3, 1, WIDE, BATCHES), 0, ALONE), 4, 4 / 3.0, 0, 0);
    BatchSettings again = BATCHES.withCheckpointActivations(true);
    assertSeconds(IterationForecast.of(stages(1, 1, WIDE, again), 0, ALONE), 32 / 3.0, 0, 0, 0);
  }

  /// Two microbatches of each replica; a message of 2 x 100 numbers takes 0.5 + 0.8 s. A stage has
  /// 80,000 bytes of gradients in two buckets, of which each of two replicas sends its half twice.
  @Test
  void messagesAreThoseOfEquations9To11() {
    assertSeconds(
        IterationForecast.of(stages(2, 2, WIDE, BATCHES), 0, LINKED),
        2,
        1,
        4 * 1.3,
        2 * (2 * 0.5 + 40));
    StorageSettings narrow = WIDE.withActivations(NumberFormat.BF16);
    assertSeconds(
        IterationForecast.of(stages(4, 1, narrow, BATCHES), 0, LINKED), 2, 1.5, 16 * 0.9, 0);
  }

  /// A tenth survives: dense products take as long as before, sparse ones `(2 x 1000 + 8 x 200) /
  /// 10,000` of that; of gradients a tenth travels.
  @Test
  void whatSurvivesIsComputedAndSent() {
    double gradients = 2 * (0.5 + 4);
    assertSeconds(
        IterationForecast.of(stages(2, 2, WIDE, BATCHES), 0.9, LINKED), 2, 1, 5.2, gradients);
    assertSeconds(
        IterationForecast.of(
            stages(2, 2, WIDE.withProducts(Products.SPARSE), BATCHES), 0.9, LINKED),
        0.72,
        0.36,
        5.2,
        gradients);
  }

  /// A network in which a byte takes a second between nodes of two ranks, and nothing inside one; a
  /// pass over memory takes a second a byte.
  private record Nodes(int ranksOfNode) implements RankSpeed {
    @Override
    public double product(long rows, int in, int out) {
      return 0;
    }

    @Override
    public double weightGradient(long rows, int in, int out) {
      return 0;
    }

    @Override
    public double stream(double bytes) {
      return bytes;
    }

    @Override
    public double messages(int from, int to, double count, double bytes) {
      return from / ranksOfNode == to / ranksOfNode ? 0 : bytes;
    }
  }

  /// Two samples of 8 x 8 x 3 elements become 4 x 4 x 3: 384 are read and 96 kept, and backwards 96
  /// are read, with a gradient of 96 that comes and one of 384 that goes. The loss passes four
  /// times over the 96 of the output. Four microbatches of 4-byte numbers, and products take no
  /// time.
  @Test
  void layersWithoutMatricesTakeThePassesOverTheirElements() {
    Shape image = new Shape(8, 8, 3);
    List<Layer> blocks = List.of(Linear.unbiased("mixed", image, 3, 0.1), new MaxPool(image, 2, 2));
    int backward = 96 + 96 + 384;
    int loss = 4 * 96;
    assertThat(IterationForecast.of(stages(blocks, 1, 1, WIDE, BATCHES), 0, new Nodes(1)).compute())
        .isEqualTo(4 * 4 * (384 + 96 + backward + loss));
    BatchSettings again = BATCHES.withCheckpointActivations(true);
    assertThat(IterationForecast.of(stages(blocks, 1, 1, WIDE, again), 0, new Nodes(1)).compute())
        .isEqualTo(4 * 4 * (2 * (384 + 96) + backward + loss));
  }

  /// Neighbours share a node: only the second and the third of four stages do not, whose messages
  /// of 800 bytes leave it, four times each way. Replicas are two ranks apart, each on a node.
  @Test
  void onlyWhatLeavesANodeTakesItsLink() {
    Nodes two = new Nodes(2);
    assertThat(IterationForecast.of(stages(2, 1, WIDE, BATCHES), 0, two).messages()).isZero();
    assertThat(IterationForecast.of(stages(4, 1, WIDE, BATCHES), 0, two).messages())
        .isEqualTo(2 * 4 * 800);
    assertThat(IterationForecast.of(stages(1, 2, WIDE, BATCHES), 0, two).gradients()).isZero();
    assertThat(IterationForecast.of(stages(2, 2, WIDE, BATCHES), 0, two).gradients())
        .isEqualTo(2 * 40_000);
    // Three others, of which one is on the same node.
    assertThat(IterationForecast.of(stages(1, 4, WIDE, BATCHES), 0, two).gradients())
        .isEqualTo(2 * 2 * 40_000);
  }

  /// 16 bytes of state a parameter in float32, read and written; what survives has 24, index
  /// included, beside 4 of each dense matrix.
  @Test
  void anUpdateReadsAndWritesTheState() {
    Nodes one = new Nodes(8);
    assertThat(IterationForecast.of(stages(2, 1, WIDE, BATCHES), 0, one).update())
        .isEqualTo(2 * 16 * 20_000);
    assertThat(IterationForecast.of(stages(1, 1, WIDE, BATCHES), 0.9, one).update())
        .isEqualTo(2 * (4 * 40_000 + 20 * 4_000));
  }
}
