package dev.gossamer.gnn.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.matrix.io.InvalidSettingException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EpochBatchesTest {
  private final int[] training = IntStream.range(0, 103).map(v -> 3 * v).toArray();

  @Test
  void eachTrainingVertexIsInOneBatch() {
    EpochBatches batches = new EpochBatches(training, 10, 7, 2);
    assertThat(batches.count()).isEqualTo(11);
    assertThat(batches.batch(10)).hasSize(3);
    assertThat(batches.batches(0, 11).stream().flatMapToInt(Arrays::stream).toArray())
        .hasSize(103)
        .containsExactlyInAnyOrder(training)
        .isNotEqualTo(training);
    assertThat(batches.batches(3, 5)).hasSize(2).first().isEqualTo(batches.batch(3));
    assertThat(new EpochBatches(new int[0], 10, 7, 2).count()).isZero();
  }

  @Test
  void seedAndEpochDecideTheOrder() {
    int[] order = new EpochBatches(training, 103, 7, 2).batch(0);
    assertThat(new EpochBatches(training, 103, 7, 2).batch(0)).isEqualTo(order);
    assertThat(new EpochBatches(training, 103, 7, 3).batch(0)).isNotEqualTo(order);
    assertThat(new EpochBatches(training, 103, 8, 2).batch(0)).isNotEqualTo(order);
  }

  @Test
  void allOrdersAreAlike() {
    Map<String, Integer> counts = new HashMap<>();
    for (int epoch = 0; epoch < 12_000; epoch++) {
      int[] order = new EpochBatches(new int[] {0, 1, 2, 3}, 4, 1, epoch).batch(0);
      counts.merge(Arrays.toString(order), 1, Integer::sum);
    }
    assertThat(counts).hasSize(24);
    Map<String, Double> expected = new HashMap<>();
    counts.keySet().forEach(order -> expected.put(order, 1.0 / 24));
    ChiSquare.requireDrawnFrom(expected, counts);
  }

  @Test
  void anEmptyBatchIsRefused() {
    assertThatThrownBy(() -> new EpochBatches(training, 0, 1, 1))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("batchSize: expected at least 1, found 0");
  }
}
