package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.comm.threads.ThreadRanks;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {
  @Test
  void everyRankHasTheFiguresOfAll() {
    ThreadRanks.run(
        3,
        world -> {
          try (Arena arena = Arena.ofShared()) {
            Figures all = new Figures();
            int rank = world.rank();
            Figures.Figure largest = all.largest(rank * 10);
            Figures.Figure sum = all.sum(rank + 1);
            Figures.Figure smallest = all.smallest(7 - rank);
            List<Figures.Figure> squares = all.sums(rank, rank * rank);
            assertThatThrownBy(sum::value).isInstanceOf(IllegalStateException.class);
            all.reduce(Team.of(world, arena));
            assertThat(largest.value()).isEqualTo(20);
            assertThat(sum.value()).isEqualTo(6);
            assertThat(smallest.value()).isEqualTo(5);
            assertThat(squares).extracting(Figures.Figure::value).containsExactly(3.0, 5.0);
          }
        });
  }
}
