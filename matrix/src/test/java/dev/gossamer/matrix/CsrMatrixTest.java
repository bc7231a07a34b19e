package dev.gossamer.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class CsrMatrixTest {
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
