package dev.gossamer.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CsrMatrixTest {
  @Test
  void someRowsAreThoseOfTheWhole() {
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix a =
          CsrMatrix.of(
                  arena,
                  4,
                  new long[] {0, 2, 2, 3, 5},
                  new int[] {0, 3, 1, 2, 3},
                  new float[] {1, 2, 3, 4, 5})
              .withScales(
                  arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2, 3, 4),
                  arena.allocateFrom(ValueLayout.JAVA_FLOAT, 5, 6, 7, 8));
      float[][] whole = a.toDense();
      for (int begin = 0; begin <= 4; begin++) {
        for (int end = begin; end <= 4; end++) {
          CsrMatrix some = a.rows(arena, begin, end);
          assertThat(some.validate()).isNull();
          assertThat(some.toDense()).isDeepEqualTo(Arrays.copyOfRange(whole, begin, end));
        }
      }
      CsrMatrix pattern = a.withValues(null).withScales(null, null).rows(arena, 2, 4);
      assertThat(pattern.toDense()).isDeepEqualTo(new float[][] {{0, 1, 0, 0}, {0, 0, 1, 1}});
    }
  }

  @Test
  void findsEntriesAndWhereOthersBelong() {
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix a =
          CsrMatrix.of(arena, 8, new long[] {0, 3, 3, 5}, new int[] {1, 4, 7, 0, 2}, null);
      for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 8; column++) {
          long expected = -1;
          long belongs = a.rowPointer(row);
          for (long e = a.rowPointer(row); e < a.rowPointer(row + 1L); e++) {
            expected = a.column(e) == column ? e : expected;
            belongs += a.column(e) < column ? 1 : 0;
          }
          assertThat(a.find(row, column)).isEqualTo(expected >= 0 ? expected : -belongs - 1);
        }
      }
    }
  }
}
