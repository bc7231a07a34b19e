package dev.gossamer.gnn.historical;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PushPlanTest {
  /// A path 0-1-2-3, of which ranks have two vertices each: 1 and 2 are halo elsewhere.
  private static CsrMatrix rows(Arena arena, int rank) {
    return rank == 0
        ? CsrMatrix.of(arena, 4, new long[] {0, 1, 3}, new int[] {1, 0, 2}, null)
        : CsrMatrix.of(arena, 4, new long[] {0, 2, 3}, new int[] {1, 3, 2}, null);
  }

  private static SampledBatch batch(Arena arena, int... sources) {
    CsrMatrix none =
        CsrMatrix.of(arena, sources.length, new long[sources.length + 1], new int[0], null);
    SampledBlock block = new SampledBlock(none, sources);
    return new SampledBatch(0, sources, new float[sources.length], List.of(block, block));
  }

  /// In which of 12 turns rank 0 pushes vertex 1, if its batches compute it in all of them.
  private static List<Integer> turns(int limit, int life, int delay, int wait) {
    List<Integer> turns = new ArrayList<>();
    ThreadRanks.run(
        2,
        world -> {
          try (Arena arena = Arena.ofShared()) {
            CsrMatrix own = rows(arena, world.rank());
            HaloPartition partition = new HaloPartition(2 * world.rank(), own);
            HaloDirectory directory =
                new HaloDirectory(world, RowDistribution.even(4, 2), 2, partition.halos());
            HistoricalSettings settings =
                new HistoricalSettings(9, life, limit, delay, OnMiss.DROP);
            PushPlan plan =
                new PushPlan(
                    2,
                    partition,
                    List.of(directory),
                    new int[] {1, 2},
                    List.of(new int[] {wait, wait}),
                    settings,
                    life,
                    7);
            SampledBatch batch = batch(arena, 0, 1);
            for (int turn = 0; turn < 12 && world.rank() == 0; turn++) {
              plan.map(turn == 1 ? null : batch, turn);
              assertThat(plan.rows(0, 0)).isEmpty();
              int[] pushed = plan.rows(0, 1);
              assertThat(Arrays.stream(pushed).map(row -> plan.vertex(0, row)).filter(v -> v != 1))
                  .isEmpty();
              if (pushed.length > 0) {
                turns.add(turn);
              }
            }
          }
        });
    return turns;
  }

  /// A row that is made in turn `k` is read up to turn `k + life`; what is pushed `delay` turns
  /// before the one after that takes its place, or earlier if the vertex is not in each batch.
  @ParameterizedTest
  @CsvSource({
    "2, 1, 1",
    "5, 1, 1",
    "5, 3, 1",
    "1, 1, 1",
    "100, 1, 1",
    "5, 1, 3",
    "5, 1, 2147483647"
  })
  void isPushedAgainWhenTheCopyWillHaveDied(int life, int delay, int wait) {
    List<Integer> expected = new ArrayList<>();
    for (int turn = 0; turn < 12; turn += Math.max(1, life + 2 - delay - wait)) {
      // In turn 1 there is no batch.
      expected.add(turn == 1 ? ++turn : turn);
    }
    assertThat(turns(9, life, delay, wait)).isEqualTo(expected);
  }

  @Test
  void whatALimitLeavesOutIsPushedLater() {
    assertThat(turns(0, 5, 1, 1)).isEmpty();
  }
}
