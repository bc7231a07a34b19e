package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// [Window] against loops over single elements.
class WindowTest {
  private static final int IMAGES = 3;

  private final Arena arena = Arena.ofShared();
  private final Workers w = new Workers(2);

  @AfterEach
  void free() {
    w.close();
    arena.close();
  }

  static Stream<Window> windows() {
    return Stream.of(1, 3, Samples.LANES - 1, Samples.LANES, Samples.LANES + 1)
        .flatMap(channels ->
            Stream.of(
                new Window(1, 1, channels, 1, 1, 1, 0),
                new Window(5, 7, channels, 3, 3, 1, 1),
                new Window(7, 5, channels, 3, 3, 2, 1),
                new Window(6, 6, channels, 2, 2, 2, 0),
                new Window(5, 5, channels, 1, 1, 3, 0),
                new Window(9, 8, channels, 7, 7, 2, 3),
                new Window(4, 6, channels, 4, 6, 1, 0),
                new Window(7, 7, channels, 2, 3, 3, 1)));
  }

  private DenseMatrix images(Window window, long seed) {
    return Samples.random(
        arena, (long) IMAGES * window.height() * window.width(), window.channels(), seed);
  }

  /// A matrix with a row for each window.
  private DenseMatrix places(Window window, int cols, long seed) {
    return Samples.random(
        arena, (long) IMAGES * window.outHeight() * window.outWidth(), cols, seed);
  }

  /// Row of the input that a part of a window covers, or -1 if it is outside.
  private static int row(Window window, int place, int a, int b) {
    int positions = window.outHeight() * window.outWidth();
    int image = place / positions;
    int i = place % positions / window.outWidth() * window.stride() - window.padding() + a;
    int j = place % window.outWidth() * window.stride() - window.padding() + b;
    boolean inside = i >= 0 && i < window.height() && j >= 0 && j < window.width();
    return inside ? (image * window.height() + i) * window.width() + j : -1;
  }

  @ParameterizedTest
  @MethodSource("windows")
  void gathersAnyLines(Window window) {
    DenseMatrix x = images(window, 1);
    int lines = IMAGES * window.outHeight();
    for (int first = 0; first < lines; first += 2) {
      int count = Math.min(lines - first, 5);
      DenseMatrix columns =
          Samples.random(arena, (long) count * window.outWidth(), window.covered(), 2);
      window.gather(x, first, count, columns, w);
      for (int i = 0; i < columns.rows(); i++) {
        for (int e = 0; e < window.covered(); e++) {
          int part = e / window.channels();
          int place = first * window.outWidth() + i;
          int row = row(window, place, part / window.across(), part % window.across());
          float expected = row < 0 ? 0 : x.get(row, e % window.channels());
          assertThat(columns.get(i, e)).isEqualTo(expected);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("windows")
  void scatteringIsTheTransposeOfGathering(Window window) {
    DenseMatrix g = images(window, 1);
    double[][] expected = new double[(int) g.rows()][window.channels()];
    for (int i = 0; i < g.rows(); i++) {
      for (int c = 0; c < window.channels(); c++) {
        expected[i][c] = g.get(i, c);
      }
    }
    DenseMatrix columns = places(window, window.covered(), 2);
    for (int i = 0; i < columns.rows(); i++) {
      for (int e = 0; e < window.covered(); e++) {
        int part = e / window.channels();
        int row = row(window, i, part / window.across(), part % window.across());
        if (row >= 0) {
          expected[row][e % window.channels()] += columns.get(i, e);
        }
      }
    }
    int lines = IMAGES * window.outHeight();
    for (int first = 0; first < lines; first += 2) {
      int count = Math.min(2, lines - first);
      long begin = (long) first * window.outWidth();
      DenseMatrix part = columns.rows(begin, begin + (long) count * window.outWidth());
      window.scatter(part, first, count, g, w);
    }
    // As many numbers below 1 as a window has positions.
    compare(g, expected, window.down() * window.across() * Math.ulp(window.down() + 1f) * 4);
  }

  private static void compare(DenseMatrix actual, double[][] expected, double tolerance) {
    for (int i = 0; i < expected.length; i++) {
      for (int c = 0; c < expected[i].length; c++) {
        assertThat(Math.abs(actual.get(i, c) - expected[i][c])).isLessThanOrEqualTo(tolerance);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("windows")
  void poolsWithGradients(Window window) {
    DenseMatrix x = images(window, 1);
    // Few distinct numbers: maxima with equals.
    for (int i = 0; i < x.rows(); i++) {
      for (int c = 0; c < window.channels(); c++) {
        x.set(i, c, Math.round(2 * x.get(i, c)));
      }
    }
    DenseMatrix t = places(window, window.channels(), 2);
    int places = (int) t.rows();
    double[][] highest = new double[places][window.channels()];
    double[][] mean = new double[places][window.channels()];
    double[][] toHighest = new double[(int) x.rows()][window.channels()];
    double[][] toAll = new double[(int) x.rows()][window.channels()];
    double share = 1.0 / (window.down() * window.across());
    for (int i = 0; i < places; i++) {
      for (int c = 0; c < window.channels(); c++) {
        int best = -1;
        for (int a = 0; a < window.down(); a++) {
          for (int b = 0; b < window.across(); b++) {
            int row = row(window, i, a, b);
            if (row >= 0) {
              best = best < 0 || x.get(row, c) > x.get(best, c) ? row : best;
              mean[i][c] += x.get(row, c) * share;
              toAll[row][c] += t.get(i, c) * share;
            }
          }
        }
        highest[i][c] = x.get(best, c);
        toHighest[best][c] += t.get(i, c);
      }
    }
    double tolerance = window.down() * window.across() * 4 * Math.ulp(1f);
    DenseMatrix y = places(window, window.channels(), 3);
    DenseMatrix g = images(window, 4);
    window.max(x, y, w);
    compare(y, highest, 0);
    window.maxGradient(x, y, t, g, w);
    compare(g, toHighest, tolerance);
    window.mean(x, y, w);
    compare(y, mean, tolerance);
    window.meanGradient(t, g, w);
    compare(g, toAll, tolerance);
  }

  @Test
  void refusesWindowsThatDoNotFit() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Window(3, 3, 1, 4, 4, 1, 0))
        .withMessage("window: 4 x 4 does not fit an image of 3 x 3 with padding 0");
    assertThatIllegalArgumentException().isThrownBy(() -> new Window(3, 3, 1, 2, 2, 1, 2));
    assertThatIllegalArgumentException().isThrownBy(() -> new Window(3, 3, 1, 2, 2, 0, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Window(50_000, 50_000, 1, 3, 3, 1, 1))
        .withMessageContaining("expected fewer than 2^31 values");
    Window window = new Window(3, 3, 1, 2, 2, 1, 0);
    DenseMatrix x = images(window, 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> window.gather(x, 5, 2, places(window, 4, 1).rows(0, 4), w))
        .withMessageContaining("lines 5..7");
    assertThatIllegalArgumentException().isThrownBy(() -> window.max(x, x, w));
  }
}
