package dev.gossamer.partition.level;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class LevelGraphTest {
  private static final long[] TOO_LARGE = {0, Long.MAX_VALUE / 8};

  @Test
  void aLevelThatIsTooLargeLeavesNoMemoryBehind() {
    Arena arena = Arena.ofShared();
    assertThatThrownBy(() -> LevelGraph.allocate(arena, TOO_LARGE, new int[1][1], new int[1]))
        .isInstanceOfAny(OutOfMemoryError.class, IllegalArgumentException.class);
    assertThat(arena.scope().isAlive()).isFalse();
  }

  @Test
  void aLevelFreesItsMemoryWhenItIsClosed() {
    Arena arena = Arena.ofShared();
    LevelGraph graph =
        LevelGraph.allocate(arena, new long[] {0, 1, 2}, new int[][] {{3, 4}}, new int[] {5, 6});
    graph.set(0, 1, 7L + Integer.MAX_VALUE);
    graph.set(1, 0, 7);
    assertThat(graph.neighbour(0)).isEqualTo(1);
    assertThat(graph.weight(0, 0, 1)).isEqualTo(Integer.MAX_VALUE);
    assertThat(graph.weight(1, 1, 0)).isEqualTo(7);
    assertThat(graph.size(1)).isEqualTo(6);
    assertThat(graph.totalLoad(0)).isEqualTo(7);
    assertThat(arena.scope().isAlive()).isTrue();
    graph.close();
    assertThat(arena.scope().isAlive()).isFalse();
  }
}
