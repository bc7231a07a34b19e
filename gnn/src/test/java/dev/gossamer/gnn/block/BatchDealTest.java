package dev.gossamer.gnn.block;

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
      // Two items a batch, and one in the last.
      long items = Math.max(0, 2L * batches - 1);
      BatchDeal deal = BatchDeal.shared(items, 2, ranks, rank, perStep);
      assertThat(deal.items()).isEqualTo(items);
      int step = 0;
      for (int turn = 0; turn < deal.turns(); turn++) {
        assertThat(deal.itemsOfStep(turn))
            .isEqualTo(Math.min(items, 2L * (step + 1) * perStep) - 2L * step * perStep);
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
    BatchDeal deal = BatchDeal.shared(5, 1, 4, 1, 4);
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
  void ranksWithBatchesOfTheirOwnShareTurnsAndSteps() {
    long[] items = {7, 0, 3};
    BatchDeal[] deals = new BatchDeal[items.length];
    for (int rank = 0; rank < items.length; rank++) {
      deals[rank] = BatchDeal.own(items, 3, rank, 6);
      assertThat(deals[rank].turns()).isEqualTo(3);
      assertThat(deals[rank].items()).isEqualTo(10);
    }
    assertThat(deals[0].vertices(place -> new int[] {place}, 0, 3))
        .containsExactly(new int[] {0}, new int[] {1}, new int[] {2});
    assertThat(deals[1].vertices(place -> new int[] {place}, 0, 3)).isEmpty();
    assertThat(deals[2].vertices(place -> new int[] {place}, 0, 3)).containsExactly(new int[] {0});
    // Turns 0 and 1 make a step: 3 + 3 items of the first rank, 3 of the last; turn 2 has the rest.
    assertThat(deals[1].itemsOfStep(0)).isEqualTo(9);
    assertThat(deals[1].itemsOfStep(1)).isEqualTo(9);
    assertThat(deals[1].itemsOfStep(2)).isEqualTo(1);
    assertThat(deals[2].endsStep(0)).isFalse();
    assertThat(deals[2].endsStep(1)).isTrue();
    assertThat(deals[2].endsStep(2)).isTrue();
    assertThat(deals[2].number(1)).isEqualTo(5);
  }

  @Test
  void stepsThatRanksCannotShareAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BatchDeal.shared(5, 1, 4, 0, 6))
        .withMessage("batches: 6 a step cannot be dealt evenly to 4 ranks");
  }
}
