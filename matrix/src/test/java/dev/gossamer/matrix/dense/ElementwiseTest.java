package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ElementwiseTest {
  private final Arena arena = Arena.ofShared();
  private final Workers w = new Workers(2);
  private DenseMatrix x = DenseMatrix.allocate(arena, 0, 0);
  private DenseMatrix t = x;
  private DenseMatrix y = x;

  @BeforeEach
  void sizes() {
    resize(3, 67);
  }

  private void resize(long rows, int cols) {
    x = Samples.random(arena, rows, cols, 1);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        x.set(i, j, 8 * x.get(i, j));
      }
    }
    t = Samples.random(arena, rows, cols, 2);
    y = Samples.random(arena, rows, cols, 3);
  }

  @AfterEach
  void free() {
    w.close();
    arena.close();
  }

  static int[] widths() {
    return Samples.widths().toArray();
  }

  private static double gelu(double x) {
    return x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
  }

  private static double slope(double x) {
    double tanh = Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x));
    double du = Math.sqrt(2 / Math.PI) * (1 + 3 * 0.044715 * x * x);
    return (1 + tanh) / 2 + x / 2 * (1 - tanh * tanh) * du;
  }

  @ParameterizedTest
  @MethodSource("widths")
  void geluFollowsItsFormula(int cols) {
    resize(3, cols);
    Elementwise.gelu(x, y, w);
    // An error of u is one of the exponential's relative to it, and |u| goes up to about 25.
    compare(ElementwiseTest::gelu, false, 64 * 0x1p-24);
    Elementwise.geluGradient(x, t, y, w);
    compare(ElementwiseTest::slope, true, 64 * 0x1p-24);
  }

  @ParameterizedTest
  @MethodSource("widths")
  void reluFollowsItsFormula(int cols) {
    resize(3, cols);
    Elementwise.relu(x, y, w);
    compare(v -> Math.max(v, 0), false, 0);
    DenseMatrix out = Samples.random(arena, 3, cols, 4);
    out.copyFrom(y);
    Elementwise.reluGradient(out, t, y, w);
    compare(v -> v > 0 ? 1 : 0, true, 0);
  }

  /// @param times whether the result is the function's value times `t`
  private void compare(DoubleUnaryOperator function, boolean times, double tolerance) {
    for (int i = 0; i < x.rows(); i++) {
      for (int j = 0; j < x.cols(); j++) {
        double expected = function.applyAsDouble(x.get(i, j)) * (times ? t.get(i, j) : 1);
        double size = Math.max(1, Math.abs(x.get(i, j)));
        assertThat((double) y.get(i, j)).isCloseTo(expected, within(tolerance * size));
      }
    }
  }

  @Test
  void geluOfExtremesIsZeroOrTheSame() {
    x.set(0, 0, -100);
    x.set(0, 1, 100);
    x.set(0, 2, 0);
    x.set(0, 3, Float.NaN);
    Elementwise.gelu(x, y, w);
    assertThat(y.get(0, 0)).isEqualTo(-0f);
    assertThat(y.get(0, 1)).isEqualTo(100);
    assertThat(y.get(0, 2)).isEqualTo(0);
    assertThat(y.get(0, 3)).isNaN();
    Elementwise.geluGradient(x, t, y, w);
    assertThat(y.get(0, 0)).isZero();
    assertThat(y.get(0, 1)).isEqualTo(t.get(0, 1));
    assertThat(y.get(0, 2)).isEqualTo(t.get(0, 2) / 2);
  }

  @Test
  void reluKeepsNotANumber() {
    x.set(1, 1, Float.NaN);
    Elementwise.relu(x, y, w);
    assertThat(y.get(1, 1)).isNaN();
  }

  @Test
  void addsAndMultipliesOverSeveralTasks() {
    resize(1031, 67);
    Elementwise.multiply(x, t, y, w);
    for (int i = 0; i < x.rows(); i++) {
      for (int j = 0; j < x.cols(); j++) {
        assertThat(y.get(i, j)).isEqualTo(x.get(i, j) * t.get(i, j));
      }
    }
    Elementwise.add(x, t, y, w);
    for (int i = 0; i < x.rows(); i++) {
      for (int j = 0; j < x.cols(); j++) {
        assertThat(y.get(i, j)).isEqualTo(x.get(i, j) + t.get(i, j));
      }
    }
    DenseMatrix sum = Samples.random(arena, 1031, 67, 9);
    sum.copyFrom(y);
    Elementwise.addTo(sum.data(), t.data());
    assertThat(sum.get(1030, 66)).isEqualTo(y.get(1030, 66) + t.get(1030, 66));
  }

  @Test
  void refusesOtherSizes() {
    DenseMatrix small = DenseMatrix.allocate(arena, 3, 66);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Elementwise.add(x, small, y, w))
        .withMessage("addition: operands are 3 x 67 and 3 x 66 but the result is 3 x 67");
  }
}
