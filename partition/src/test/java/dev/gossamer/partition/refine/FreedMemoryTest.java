package dev.gossamer.partition.refine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// What fails half-way gives its memory back: repeated often enough, it would show.
class FreedMemoryTest {
  private static final Path PAGES = Path.of("/proc/self/statm");
  private static final int TIMES = 40;
  private static final int VERTICES = 500_000;
  private static final int DEGREE = 4;

  /// Bytes of address space: the Java heap has its own from the start, so that only memory outside
  /// of it shows.
  private static long addressSpace() throws IOException {
    return 4096L * Long.parseLong(Files.readString(PAGES).split(" ", 2)[0]);
  }

  @Test
  void gainsThatCannotBeCountedFreeTheirTable() throws IOException {
    assumeTrue(Files.exists(PAGES));
    long[] starts = new long[VERTICES + 1];
    int[] loads = new int[VERTICES];
    for (int v = 0; v < VERTICES; v++) {
      starts[v + 1] = starts[v] + DEGREE;
    }
    try (LevelGraph graph = LevelGraph.allocate(starts, new int[][] {loads}, loads)) {
      PartLoads roomy = new PartLoads(new long[][] {new long[8]});
      int[] tooShort = new int[10];
      long before = addressSpace();
      for (int i = 0; i < TIMES; i++) {
        assertThatThrownBy(() -> new VolumeGains(graph, tooShort, roomy))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      long table = 4L * DEGREE * VERTICES;
      assertThat(addressSpace() - before).isLessThan(TIMES * table / 2);
    }
  }

  @Test
  void aLevelThatIsTooLargeIsNotHalfAllocated() throws IOException {
    assumeTrue(Files.exists(PAGES));
    long before = addressSpace();
    assertThatThrownBy(() ->
            LevelGraph.allocate(new long[] {0, Long.MAX_VALUE / 8}, new int[1][1], new int[1]))
        .isInstanceOfAny(OutOfMemoryError.class, IllegalArgumentException.class);
    assertThat(addressSpace() - before).isLessThan(1L << 30);
  }
}
