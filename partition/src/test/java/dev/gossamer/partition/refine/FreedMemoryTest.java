package dev.gossamer.partition.refine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.partition.Graphs;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/// What fails half-way gives its memory back.
class FreedMemoryTest {
  private static final int VERTICES = 500;

  private static LevelGraph graph() {
    int[] ones = new int[VERTICES];
    Arrays.fill(ones, 1);
    return LevelGraph.input(Graphs.grid(20, 25), ones, new int[][] {ones});
  }

  @Test
  void gainsThatCannotBeCountedFreeTheirTable() {
    PartLoads roomy = new PartLoads(new long[][] {new long[8]});
    int[] tooShort = new int[10];
    Arena arena = Arena.ofShared();
    assertThatThrownBy(() -> new VolumeGains(graph(), tooShort, roomy, arena))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(arena.scope().isAlive()).isFalse();
  }

  @Test
  void gainsFreeTheirTableWhenTheyAreClosed() {
    PartLoads roomy = new PartLoads(new long[][] {new long[8]});
    Arena arena = Arena.ofShared();
    try (VolumeGains gains = new VolumeGains(graph(), new int[VERTICES], roomy, arena)) {
      assertThat(gains.loads().load(0, 0)).isEqualTo(VERTICES);
      assertThat(arena.scope().isAlive()).isTrue();
    }
    assertThat(arena.scope().isAlive()).isFalse();
  }
}
