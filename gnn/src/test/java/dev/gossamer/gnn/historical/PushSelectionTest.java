package dev.gossamer.gnn.historical;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PushSelectionTest {
  private static PushSelection selection(int rows) {
    PushSelection selection = new PushSelection();
    for (int i = 0; i < rows; i++) {
      selection.add(3 * i);
    }
    return selection;
  }

  private static PushSelection.Place place(int turn) {
    return new PushSelection.Place(5, turn, 1, 2);
  }

  @Test
  void whatFitsGoesAsItIs() {
    PushSelection selection = selection(7);
    selection.limit(7, row -> 1, place(0));
    assertThat(selection.rows()).containsExactly(0, 3, 6, 9, 12, 15, 18);
    selection.clear();
    assertThat(selection.rows()).isEmpty();
  }

  @Test
  void asManyDistinctRowsStayAsTheLimitSays() {
    for (int limit : new int[] {0, 1, 10, 99}) {
      PushSelection selection = selection(100);
      selection.limit(limit, row -> 1 + row % 5, place(1));
      assertThat(selection.rows()).hasSize(limit).doesNotHaveDuplicates();
      int[] sorted = selection.rows().clone();
      Arrays.sort(sorted);
      assertThat(selection.rows()).isEqualTo(sorted);
    }
  }

  /// One row of two is kept: that of degree 3 in three of four draws. The deviation of a share of
  /// `n` draws is `sqrt(3 / 16 / n)`; five of them are allowed.
  @Test
  void rowsStayInProportionToTheirDegrees() {
    int draws = 20_000;
    int kept = 0;
    for (int turn = 0; turn < draws; turn++) {
      PushSelection selection = selection(2);
      selection.limit(1, row -> row == 0 ? 1 : 3, place(turn));
      kept += selection.rows()[0] == 3 ? 1 : 0;
    }
    assertThat((double) kept / draws).isCloseTo(0.75, within(5 * Math.sqrt(3.0 / 16 / draws)));
  }
}
