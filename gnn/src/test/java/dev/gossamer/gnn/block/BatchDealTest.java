package dev.gossamer.gnn.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchDealTest {
  @ParameterizedTest
  @CsvSource({"0,4,4", "1,4,4", "7,1,1", "13,1,4", "7,2,4", "15,4,8", "16,4,8", "33,8,16"})
  void eachBatchIsOneRanksAndItsStepIsThatOfOneRank(int items, int ranks, int perStep) {
    int stepSize = 2 * perStep;
    int steps = Math.ceilDiv(items, stepSize);
    Map<Integer, Integer> stepOf = new TreeMap<>();
    for (int rank = 0; rank < ranks; rank++) {
      BatchDeal deal = BatchDeal.shared(items, stepSize, ranks, rank, perStep);
      assertThat(deal.items()).isEqualTo(items);
      assertThat(deal.turns()).isEqualTo(steps * perStep / ranks);
      int step = 0;
      for (int turn = 0; turn < deal.turns(); turn++) {
        // Whatever the ranks, a step has what an even cut of the epoch gives it.
        assertThat(deal.itemsOfStep(turn))
            .isEqualTo(items * (step + 1) / steps - items * step / steps);
        stepOf.put(deal.number(turn), step);
        boolean last = turn == deal.turns() - 1;
        assertThat(deal.endsStep(turn)).isEqualTo(last || deal.beginsStep(turn + 1));
        step += deal.endsStep(turn) ? 1 : 0;
      }
      assertThat(step).isEqualTo(steps);
    }
    assertThat(stepOf).hasSize(steps * perStep);
    stepOf.forEach((batch, step) -> assertThat(step).isEqualTo(batch / perStep));
  }

  /// As it was: 512, 512, 512, 512 and 8, each a step.
  @Test
  void noStepIsARemnant() {
    BatchDeal alone = BatchDeal.shared(2056, 512, 1, 0, 1);
    assertThat(IntStream.range(0, alone.turns()).mapToLong(alone::itemsOfStep))
        .containsExactly(411L, 411L, 411L, 411L, 412L);
    BatchDeal four = BatchDeal.shared(2056, 512, 4, 2, 4);
    assertThat(IntStream.range(0, four.turns()).mapToLong(four::itemsOfStep))
        .containsExactly(411L, 411L, 411L, 411L, 412L);
    BatchDeal own = BatchDeal.own(new long[] {514, 514, 514, 514}, 2048, 0, 4);
    assertThat(IntStream.range(0, own.turns()).mapToLong(own::itemsOfStep))
        .containsExactly(1028L, 1028L);
  }

  @Test
  void aRankWithoutABatchHasNoVertices() {
    BatchDeal deal = BatchDeal.shared(2, 4, 4, 1, 4);
    List<Integer> asked = new ArrayList<>();
    assertThat(
            deal.vertices(
                number -> {
                  asked.add(number);
                  return new int[] {number};
                },
                0,
                1))
        .containsExactly(new int[] {1});
    assertThat(asked).containsExactly(1);
    assertThat(BatchDeal.shared(2, 4, 4, 2, 4).vertices(number -> new int[0], 0, 1)).isEmpty();
  }

  @Test
  void aBatchThatIsMissingAmongOthersIsEmpty() {
    BatchDeal deal = BatchDeal.own(new long[] {8, 2}, 4, 1, 2);
    assertThat(deal.turns()).isEqualTo(4);
    assertThat(IntStream.range(0, 4).filter(deal::hasBatch)).containsExactly(1, 3);
    EpochBatches cut = EpochBatches.cut(new int[] {5, 6}, deal.cutTogether(), 0, 0);
    assertThat(deal.vertices(cut::batch, 0, 4))
        .map(batch -> batch.length)
        .containsExactly(0, 1, 0, 1);
    assertThat(deal.vertices(cut::batch, 0, 3)).map(batch -> batch.length).containsExactly(0, 1);
  }

  @Test
  void ranksWithBatchesOfTheirOwnShareTurnsAndSteps() {
    long[] items = {7, 0, 3};
    BatchDeal[] deals = new BatchDeal[items.length];
    for (int rank = 0; rank < items.length; rank++) {
      deals[rank] = BatchDeal.own(items, 18, rank, 6);
      // Two turns make a step, and no batch has more than three items: 7 take two steps.
      assertThat(deals[rank].turns()).isEqualTo(4);
      assertThat(deals[rank].items()).isEqualTo(10);
    }
    assertThat(IntStream.range(0, 4).filter(deals[0]::hasBatch)).containsExactly(0, 1, 2, 3);
    assertThat(IntStream.range(0, 4).filter(deals[1]::hasBatch)).isEmpty();
    assertThat(IntStream.range(0, 4).filter(deals[2]::hasBatch)).containsExactly(1, 2, 3);
    assertThat(deals[1].itemsOfStep(0)).isEqualTo(4);
    assertThat(deals[1].itemsOfStep(1)).isEqualTo(4);
    assertThat(deals[1].itemsOfStep(2)).isEqualTo(6);
    assertThat(deals[2].endsStep(0)).isFalse();
    assertThat(deals[2].endsStep(1)).isTrue();
    assertThat(deals[2].endsStep(2)).isFalse();
    assertThat(deals[2].number(1)).isEqualTo(5);
  }

  @Test
  void stepsThatRanksCannotShareAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BatchDeal.shared(5, 1, 4, 0, 6))
        .withMessage("batches: 6 per step cannot be divided evenly among 4 ranks");
  }
}
