package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.run.memory.MemoryEstimate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DividingTest {
  private static final long MIB = 1 << 20;

  private static MemoryEstimate training(long bytes) {
    return MemoryEstimate.builder()
        .add("Java runtime", MemoryEstimate.RUNTIME_BYTES)
        .add("buffers", bytes)
        .build();
  }

  /// The peak is that of dividing beside the data, or that of training above what is left,
  /// whichever is higher.
  @ParameterizedTest
  @CsvSource({"10, 250", "150, 250", "220, 250", "230, 260", "5000, 5030"})
  void theHigherPeakCounts(long trainingMib, long expectedMib) {
    Dividing dividing = new Dividing(200 * MIB, 30 * MIB, 50 * MIB);
    assertThat(dividing.in(training(trainingMib * MIB)).bytes())
        .isEqualTo(MemoryEstimate.RUNTIME_BYTES + expectedMib * MIB);
  }

  @Tag("slow")
  @Test
  void placementsThatCostNothingAddNothing() {
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      GraphTraining training = ExampleGraphs.training(dataset).gcn(6).threads(1);
      assertThat(dividing(training, 4, "block")).isZero();
      assertThat(dividing(training, 4, "random")).isZero();
      assertThat(dividing(training, 1, "gvb")).isZero();
      assertThat(dividing(training, 4, "gvb")).isPositive();
    }
  }

  private static long dividing(GraphTraining training, int ranks, String placement) {
    GraphTraining placed =
        training.ranks(RankSettings.DEFAULT.withCount(ranks).withPlacement(placement));
    return Planning.of(placed, PlainRates.cluster(1, ranks, 1L << 40, 1e9))
        .asSet()
        .memory()
        .ofRank()
        .bytes("dividing");
  }
}
