package dev.gossamer.partition.refine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.matrix.MeasuredArena;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import org.junit.jupiter.api.Test;

/// What fails half-way gives its memory back.
class FreedMemoryTest {
  private static final int VERTICES = 5_000;
  private static final int DEGREE = 4;
  private static final long TABLE_BYTES = 4L * DEGREE * VERTICES;

  private final MeasuredArena arena = new MeasuredArena();

  private static LevelGraph level() {
    long[] starts = new long[VERTICES + 1];
    int[] loads = new int[VERTICES];
    for (int v = 0; v < VERTICES; v++) {
      starts[v + 1] = starts[v] + DEGREE;
    }
    return LevelGraph.allocate(starts, new int[][] {loads}, loads);
  }

  private static PartLoads roomy() {
    return new PartLoads(new long[][] {new long[8]});
  }

  @Test
  void gainsThatCannotBeCountedFreeTheirTable() {
    try (LevelGraph graph = level()) {
      int[] tooShort = new int[10];
      assertThatThrownBy(() -> new VolumeGains(arena, graph, tooShort, roomy()))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(arena.peak()).isEqualTo(TABLE_BYTES);
      assertThat(arena.bytes()).isZero();
      assertThat(arena.scope().isAlive()).isFalse();
    }
  }

  @Test
  void gainsFreeTheirTableAtTheEnd() {
    try (LevelGraph graph = level();
        VolumeGains gains = new VolumeGains(arena, graph, new int[VERTICES], roomy())) {
      assertThat(gains.send()).hasSize(8);
      assertThat(arena.bytes()).isEqualTo(TABLE_BYTES);
    }
    assertThat(arena.scope().isAlive()).isFalse();
  }
}
