package dev.gossamer.cli.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.NavigableSet;
import org.junit.jupiter.api.Test;

class VertexVectorsTest {
  @Test
  void someVerticesAreDrawnOnceAndInOrder() {
    assertThat(VertexVectors.drawn(3, 3)).containsExactly(0, 1, 2);
    NavigableSet<Integer> drawn = VertexVectors.drawn(1_000_000, 20_000);
    assertThat(drawn).hasSize(20_000).isEqualTo(VertexVectors.drawn(1_000_000, 20_000));
    // Of 20,000 draws the mean is 500,000 with a standard error of 2,000.
    assertThat(drawn.stream().mapToInt(v -> v).average().orElseThrow())
        .isBetween(488_000.0, 512_000.0);
  }
}
