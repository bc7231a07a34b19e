package dev.gossamer.gnn.historical;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.run.Team;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;

class LifeVerdictTest {
  private static final EmbeddingDrift SLOW = new EmbeddingDrift(0.001);

  @Test
  void livesAreThoseOfPowersOfTwoAndHalfWayUpToAnEpoch() {
    assertThat(LifeCost.lives(1, 13)).containsExactly(1, 2, 3, 4, 6, 8, 12);
    assertThat(LifeCost.lives(3, 4)).containsExactly(3, 4, 5, 6);
    assertThat(LifeCost.lives(1, 1)).as("two at least").containsExactly(1, 2);
    assertThat(LifeCost.lives(Integer.MAX_VALUE, 1))
        .containsExactly(Integer.MAX_VALUE, Integer.MAX_VALUE);
  }

  /// Rows are of all ages from 1 to 3.
  @Test
  void batchesAreOffByWhatIsMissedAndByWhatHasMoved() {
    LifeCost cost = new LifeCost(3, 1, 0, 0.25, 0.5);
    assertThat(cost.error(new EmbeddingDrift(0.1))).isCloseTo(0.25 + 0.5 * 0.1 * 2, within(1e-12));
    assertThat(cost.error(new EmbeddingDrift(7))).as("as if missed").isEqualTo(0.75);
    assertThat(cost.error(new EmbeddingDrift(Double.POSITIVE_INFINITY))).isEqualTo(0.75);
    assertThat(cost.error(new EmbeddingDrift(0))).isEqualTo(0.25);
  }

  @Test
  void takesTheLifeWithTheLeastError() {
    List<LifeCost> costs =
        List.of(
            new LifeCost(1, 1, 50, 0.09, 0.01),
            new LifeCost(4, 1, 80, 0.05, 0.05),
            new LifeCost(12, 1, 60, 0.02, 0.08));
    assertThat(LifeVerdict.of(costs, SLOW, 100).life()).isEqualTo(12);
    assertThat(LifeVerdict.of(costs, new EmbeddingDrift(0.1), 100).life()).isEqualTo(4);
    assertThat(LifeVerdict.of(costs, new EmbeddingDrift(0.9), 100).life()).isEqualTo(1);
    assertThat(LifeVerdict.of(costs, SLOW, 100).warning()).isEmpty();
  }

  @Test
  void takesNoneThatPushesMoreThanIsFetched() {
    List<LifeCost> costs =
        List.of(new LifeCost(2, 1, 100, 0.05, 0.1), new LifeCost(6, 1, 101, 0.01, 0.14));
    assertThat(LifeVerdict.of(costs, SLOW, 101).life()).isEqualTo(6);
    assertThat(LifeVerdict.of(costs, SLOW, 100).life()).isEqualTo(2);
    LifeVerdict none = LifeVerdict.of(costs, SLOW, 99);
    assertThat(none.life()).isZero();
    assertThat(none.warning().orElseThrow())
        .contains("101 bytes per epoch, and fetching takes 99")
        .doesNotContain("\n");
  }

  @Test
  void takesNoneWithWhichBatchesAreOffByTooMuch() {
    List<LifeCost> costs =
        List.of(new LifeCost(2, 1, 1, 0.4, 0.2), new LifeCost(4, 1, 1, 0.3, 0.3));
    LifeVerdict none = LifeVerdict.of(costs, new EmbeddingDrift(0.15), 99);
    assertThat(none.life()).isZero();
    assertThat(none.warning().orElseThrow())
        .contains("30 % of the rows of a batch would be missed", "move by 15.0 %")
        .doesNotContain("\n");
  }

  /// A path 0-1-2, of which this rank has 0 and 1. With both in each batch it reads 2 always.
  @Test
  void expectsWhatASampleOfOwnRowsReads() {
    try (Arena arena = Arena.ofShared()) {
      CsrMatrix own = CsrMatrix.of(arena, 3, new long[] {0, 1, 3}, new int[] {1, 0, 2}, null);
      HaloReads reads =
          new HaloReads(Sampler.sage(2, 2), AdjacencyRows.own(0, own), new int[] {0, 1}, 1);
      DenseMatrix computed = DenseMatrix.of(arena, new float[][] {{0.5f}});
      HistoricalSettings settings = HistoricalSettings.DEFAULT;
      double read = reads.perBatch(1)[2];
      assertThat(read).isEqualTo(1);
      Team alone = Team.of(ThreadRanks.alone(), arena);
      List<LifeCost> costs =
          LifeCost.of(
              reads, new int[] {2}, computed, List.of(4), settings, RowFormat.FLOAT32, alone);
      LifeCost two = costs.get(1);
      assertThat(two.life()).isEqualTo(2);
      // It is computed every second batch, and is there if it was in one of the last two.
      double all = reads.perBatch(1)[0] + reads.perBatch(1)[1] + read;
      assertThat(two.pushed()).isCloseTo(0.5 * (4 + 4 * 4), within(1e-12));
      assertThat(two.kept()).isCloseTo(0.75 * read / all, within(1e-12));
      assertThat(two.missed()).isCloseTo(0.25 * read / all, within(1e-12));
    }
  }
}
