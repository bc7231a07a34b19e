package dev.gossamer.matrix.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnGatherTest {
  private final CsrMatrix a =
      CsrMatrix.of(Arena.ofAuto(), 9, new long[] {0, 2, 2, 5}, new int[] {8, 3, 0, 5, 7}, null);

  @Test
  void readsColumnsAnywhere() {
    int[] to = new int[6];
    ColumnGather.gather(a, new long[] {4, 0, 0, 2, 9}, 4, to, 1);
    assertThat(to).containsExactly(0, 7, 8, 8, 0, 0);
    ColumnGather.gather(a, new long[0], 0, to, 6);
    assertThat(to).containsExactly(0, 7, 8, 8, 0, 0);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 5, Long.MIN_VALUE, Long.MAX_VALUE})
  void entriesThatAreNotOfTheMatrixAreFoundBeforeAnyIsRead(long entry) {
    int[] to = new int[2];
    assertThatThrownBy(() -> ColumnGather.gather(a, new long[] {1, entry}, 2, to, 0))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("gather: an entry is outside of 3 x 9 with 5 entries");
    assertThat(to).containsExactly(0, 0);
    assertThatThrownBy(() -> ColumnGather.gather(a, new long[] {1, 1}, 2, to, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
