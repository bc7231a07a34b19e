package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class RowNormalisationTest {
  @Test
  void dividesEachRowByItsSumAndLeavesZeroRows() {
    try (Arena arena = Arena.ofConfined()) {
      DenseMatrix dense =
          RowNormalisation.of(
              arena, DenseMatrix.of(arena, new float[][] {{1, 3}, {0, 0}, {2, -2}}));
      assertThat(dense.toArray()).isDeepEqualTo(new float[][] {{0.25f, 0.75f}, {0, 0}, {2, -2}});
      CsrMatrix sparse =
          RowNormalisation.of(
              arena,
              CsrMatrix.of(arena, 4, new long[] {0, 2, 2, 5}, new int[] {0, 3, 0, 1, 2}, null));
      assertThat(sparse.value(1)).isEqualTo(0.5f);
      assertThat(sparse.value(4)).isEqualTo(1 / 3f);
    }
  }
}
