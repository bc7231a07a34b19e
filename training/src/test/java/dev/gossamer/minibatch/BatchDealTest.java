package dev.gossamer.minibatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchDealTest {
  @ParameterizedTest
  @CsvSource({"0,4,4", "1,4,4", "7,1,1", "7,1,4", "7,2,4", "8,4,8", "9,4,8", "16,8,8", "17,8,16"})
  void eachBatchIsOneRanksAndItsStepIsThatOfOneRank(int batches, int ranks, int perStep) {
    Map<Integer, Integer> stepOf = new TreeMap<>();
    for (int rank = 0; rank < ranks; rank++) {
      BatchDeal deal = new BatchDeal(batches, ranks, rank, perStep);
      int step = 0;
      for (int turn = 0; turn < deal.turns(); turn++) {
        assertThat(deal.firstOfStep(turn)).isEqualTo(step * perStep);
        assertThat(deal.endOfStep(turn)).isEqualTo(Math.min(batches, (step + 1) * perStep));
        if (deal.hasBatch(turn)) {
          assertThat(stepOf.put(deal.number(turn), step)).isNull();
        }
        boolean last = turn == deal.turns() - 1;
        assertThat(deal.endsStep(turn)).isEqualTo(last || deal.beginsStep(turn + 1));
        step += deal.endsStep(turn) ? 1 : 0;
      }
      assertThat(step).isEqualTo(Math.ceilDiv(batches, perStep));
    }
    assertThat(stepOf).hasSize(batches);
    stepOf.forEach((batch, step) -> assertThat(step).isEqualTo(batch / perStep));
  }

  @Test
  void aRankWithoutABatchHasNoVertices() {
    BatchDeal deal = new BatchDeal(5, 4, 1, 4);
    List<Integer> asked = new ArrayList<>();
    assertThat(
            deal.vertices(
                number -> {
                  asked.add(number);
                  return new int[] {number};
                },
                0,
                2))
        .containsExactly(new int[] {1});
    assertThat(asked).containsExactly(1);
    assertThat(deal.vertices(number -> new int[0], 1, 2)).isEmpty();
  }

  @Test
  void stepsThatRanksCannotShareAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BatchDeal(5, 4, 0, 6))
        .withMessage("batches: 6 a step cannot be dealt evenly to 4 ranks");
  }
}
