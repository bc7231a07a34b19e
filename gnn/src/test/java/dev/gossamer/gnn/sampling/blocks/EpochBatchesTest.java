package dev.gossamer.gnn.sampling.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.sampling.ChiSquare;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EpochBatchesTest {
  private final int[] training = IntStream.range(0, 103).map(v -> 3 * v).toArray();

  @Test
  void eachTrainingVertexIsInOneBatch() {
    EpochBatches batches = new EpochBatches(training, 10, 7, 2);
    assertThat(batches.count()).isEqualTo(11);
    assertThat(batches.batches(0, 11).stream().flatMapToInt(Arrays::stream).toArray())
        .hasSize(103)
        .containsExactlyInAnyOrder(training)
        .isNotEqualTo(training);
    assertThat(batches.batches(3, 5)).hasSize(2).first().isEqualTo(batches.batch(3));
    assertThat(new EpochBatches(new int[0], 10, 7, 2).count()).isZero();
  }

  /// 103 vertices in batches of 17 are 6 of 17 and a remnant of 1 if they are not cut evenly.
  @ParameterizedTest
  @ValueSource(ints = {1, 7, 10, 17, 51, 52, 102, 103, 104})
  void batchesDifferByOneVertexAtMost(int size) {
    EpochBatches batches = new EpochBatches(training, size, 7, 2);
    int[] sizes =
        IntStream.range(0, batches.count()).map(b -> batches.batch(b).length).sorted().toArray();
    assertThat(sizes).hasSize(Math.ceilDiv(103, size));
    assertThat(sizes[sizes.length - 1]).isLessThanOrEqualTo(size);
    assertThat(sizes[sizes.length - 1] - sizes[0]).isLessThanOrEqualTo(1);
  }

  @Test
  void moreBatchesThanVerticesAreEmptyInPart() {
    EpochBatches batches = EpochBatches.cut(new int[] {4, 5, 6}, 8, 7, 2);
    assertThat(batches.count()).isEqualTo(8);
    assertThat(batches.batches(0, 8).stream().flatMapToInt(Arrays::stream).toArray())
        .containsExactlyInAnyOrder(4, 5, 6);
  }

  @Test
  void largeEpochsAreCutWithoutOverflow() {
    long n = 1L << 60;
    assertThat(EpochBatches.begin(n, 1 << 20, 3)).isEqualTo(3L << 40);
    assertThat(EpochBatches.begin(n, 1 << 20, 1 << 20)).isEqualTo(n);
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
