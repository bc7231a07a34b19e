package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.threads.ThreadRanks;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TeamTest {
  @Test
  void gathersWhatRanksHaveInTheirOrder() {
    int ranks = 3;
    int most = 2 * Team.PIECE;
    ThreadRanks.run(
        ranks,
        world -> {
          try (Arena arena = Arena.ofShared()) {
            Team team = Team.of(world, arena);
            double[] mine = new double[world.rank() * Team.PIECE];
            Arrays.fill(mine, 0.1 + world.rank());
            double[] all = team.gathered(mine);
            double[] expected =
                IntStream.range(0, Team.PIECE + most)
                    .mapToDouble(i -> i < Team.PIECE ? 1.1 : 2.1)
                    .toArray();
            assertThat(all).isEqualTo(expected);
            assertThat(team.byRank(world.rank(), ranks, 10L + world.rank()))
                .containsExactly(10L, 11L, 12L);
          }
        });
  }

  @Test
  void aTeamOfOneHasItsOwn() {
    try (Arena arena = Arena.ofShared()) {
      Team alone = Team.of(ThreadRanks.alone(), arena);
      assertThat(alone.sum(3, 4)).containsExactly(3, 4);
      assertThat(alone.gathered(1, 2)).containsExactly(1, 2);
      assertThat(alone.byRank(0, 1, 7)).containsExactly(7L);
    }
  }
}
