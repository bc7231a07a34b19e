package dev.gossamer.pruned.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StageCutTest {
  @Test
  void equalBlocksAreCutEvenly() {
    StageCut cut = StageCut.balanced(new double[] {1, 1, 1, 1, 1, 1}, 3);
    assertThat(cut.starts()).isEqualTo(List.of(0, 2, 4, 6));
    assertThat(cut.begin(1)).isEqualTo(2);
    assertThat(cut.end(1)).isEqualTo(4);
  }

  @Test
  void freeBlocksStillLeaveABlockForEachStage() {
    StageCut cut = StageCut.balanced(new double[] {0, 0, 5}, 3);
    assertThat(cut.starts()).isEqualTo(List.of(0, 1, 2, 3));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void noCutHasACheaperCostliestStage(long seed) {
    Random random = new Random(seed);
    double[] costs = random.doubles(3 + random.nextInt(6), 0, 10).toArray();
    int stages = 1 + random.nextInt(Math.min(4, costs.length));
    double found = costliest(costs, StageCut.balanced(costs, stages).starts());
    assertThat(found).isEqualTo(cheapest(costs, 0, stages));
  }

  /// The cheapest costliest stage of all cuts of the blocks from `from` on.
  private static double cheapest(double[] costs, int from, int stages) {
    if (stages == 1) {
      return sum(costs, from, costs.length);
    }
    return IntStream.rangeClosed(from + 1, costs.length - stages + 1)
        .mapToDouble(to -> Math.max(sum(costs, from, to), cheapest(costs, to, stages - 1)))
        .min()
        .orElseThrow();
  }

  private static double costliest(double[] costs, List<Integer> starts) {
    return IntStream.range(1, starts.size())
        .mapToDouble(s -> sum(costs, starts.get(s - 1), starts.get(s)))
        .max()
        .orElseThrow();
  }

  /// By prefix sums, as their rounding decides between cuts that are equal otherwise.
  private static double sum(double[] costs, int from, int to) {
    return prefix(costs, to) - prefix(costs, from);
  }

  private static double prefix(double[] costs, int to) {
    double sum = 0;
    for (int i = 0; i < to; i++) {
      sum += costs[i];
    }
    return sum;
  }

  @Test
  void moreStagesThanBlocksAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StageCut.balanced(new double[] {1, 2}, 3))
        .withMessage("stages: expected 1..2, as the network has 2 blocks to cut between, found 3");
  }
}
