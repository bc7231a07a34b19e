package dev.gossamer.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.planner.RateTable.Point;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class RateTableTest {
  private static final Offset<Double> ROUNDED = within(1e-12);

  /// One axis: at 16 a unit takes 2 s of one thread, and at 64 8 s; eight threads are 4 times as
  /// fast.
  private static final RateTable LINE = new RateTable(List.of(point(8, 2, 64), point(2, 0.5, 16)));

  private static final RateTable PLANE =
      new RateTable(
          List.of(point(1, 1, 1, 1), point(3, 3, 1, 4), point(5, 5, 4, 1), point(7, 7, 4, 4)));

  private static Point point(double one, double all, Integer... at) {
    return new Point(List.of(at), one, all);
  }

  @Test
  void isWhatWasMeasuredAtThePoints() {
    assertThat(LINE.seconds(1, 8, 16)).isEqualTo(2, ROUNDED);
    assertThat(LINE.seconds(8, 8, 64)).isEqualTo(2, ROUNDED);
    assertThat(PLANE.seconds(1, 8, 4, 1)).isEqualTo(5, ROUNDED);
    assertThat(PLANE.seconds(1, 8, 1, 4)).isEqualTo(3, ROUNDED);
  }

  @Test
  void isAPowerOfTheSizeBetweenPoints() {
    assertThat(LINE.seconds(1, 8, 32)).isEqualTo(4, ROUNDED);
    assertThat(LINE.seconds(1, 8, 24)).isEqualTo(3, ROUNDED);
    // In the middle of both axes: the fourth root of 1 * 3 * 5 * 7.
    assertThat(PLANE.seconds(1, 8, 2, 2)).isEqualTo(Math.pow(105, 0.25), ROUNDED);
  }

  @Test
  void staysBeyondTheEnds() {
    assertThat(LINE.seconds(1, 8, 1)).isEqualTo(2, ROUNDED);
    assertThat(LINE.seconds(1, 8, 1e9)).isEqualTo(8, ROUNDED);
  }

  /// Eight threads are 4 = 8^(2/3) times as fast, so two are 2^(2/3).
  @Test
  void isAPowerOfTheThreads() {
    assertThat(LINE.seconds(8, 8, 16)).isEqualTo(0.5, ROUNDED);
    assertThat(LINE.seconds(2, 8, 16)).isEqualTo(2 / Math.cbrt(4), ROUNDED);
    assertThat(LINE.seconds(64, 8, 16)).isEqualTo(0.5, ROUNDED);
    assertThat(LINE.seconds(2, 1, 16)).isEqualTo(2, ROUNDED);
  }

  @Test
  void mayHaveNoAxis() {
    RateTable number = new RateTable(List.of(point(4, 1)));
    assertThat(number.dimensions()).isZero();
    assertThat(number.seconds(2, 4)).isEqualTo(2, ROUNDED);
  }

  @Test
  void knowsItsPointsInOrder() {
    assertThat(LINE.points()).extracting(Point::at).containsExactly(List.of(16), List.of(64));
    assertThat(PLANE.smallest(1)).isEqualTo(1);
    assertThat(PLANE.largest(0)).isEqualTo(4);
    assertThat(LINE).isEqualTo(new RateTable(LINE.points())).isNotEqualTo(PLANE);
  }

  @Test
  void needsAWholeGrid() {
    refused("expected at least one", List.of());
    refused("of as many sizes each", List.of(point(1, 1, 1), point(1, 1, 1, 2)));
    refused("every combination", PLANE.points().subList(0, 3));
    refused("every combination", List.of(point(1, 1, 1, 1), point(1, 1, 2, 2)));
    refused("every combination", List.of(point(1, 1, 3), point(2, 2, 3)));
    // Of more combinations than a number can count.
    refused(
        "every combination",
        IntStream.rangeClosed(1, 5000)
            .mapToObj(size -> point(1, 1, size, size, size, size))
            .toList());
    refused("every combination", Collections.nCopies(2, point(1, 1)));
  }

  private static void refused(String expected, List<Point> points) {
    assertThatThrownBy(() -> new RateTable(points))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining(expected);
  }

  @Test
  void needsTimes() {
    assertThatThrownBy(() -> point(0, 1)).hasMessage("one: expected more than 0 s, found 0.0 s");
    assertThatThrownBy(() -> point(1, Double.NaN)).hasMessageContaining("all");
    assertThatThrownBy(() -> point(1, Double.POSITIVE_INFINITY)).hasMessageContaining("all");
    assertThatThrownBy(() -> point(1, 1, 0)).hasMessageContaining("at: expected at least 1");
  }
}
