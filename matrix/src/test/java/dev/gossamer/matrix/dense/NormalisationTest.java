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

/// [LayerNormalisation] and [BatchNormalisation] against the equations, in double precision.
class NormalisationTest {
  private static final float EPSILON = 1e-5f;

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  static Stream<int[]> sizes() {
    return Samples.widths()
        .boxed()
        .flatMap(cols -> Stream.of(2, 67, 1031).map(rows -> new int[] {rows, cols}));
  }

  /// What a normalisation makes.
  private record Result(DenseMatrix y, DenseMatrix g, DenseMatrix sums) {
    static Result empty(Arena arena, DenseMatrix x) {
      return new Result(
          Samples.random(arena, x.rows(), x.cols(), 7),
          Samples.random(arena, x.rows(), x.cols(), 8),
          Samples.random(arena, 2, x.cols(), 9));
    }

    boolean same(Result other) {
      return y.data().mismatch(other.y.data()) < 0
          && g.data().mismatch(other.g.data()) < 0
          && sums.data().mismatch(other.sums.data()) < 0;
    }
  }

  /// Inputs around 3, so that a mean is not small.
  private DenseMatrix input(int[] size) {
    DenseMatrix x = Samples.random(arena, size[0], size[1], 1);
    for (int i = 0; i < size[0]; i++) {
      for (int j = 0; j < size[1]; j++) {
        x.set(i, j, x.get(i, j) + 3);
      }
    }
    return x;
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void layersFollowTheEquations(int[] size) {
    DenseMatrix x = input(size);
    Result one = layer(x, 1);
    assertThat(one.same(layer(x, 3))).isTrue();
    compare(x, true, one);
  }

  private Result layer(DenseMatrix x, int threads) {
    Result result = Result.empty(arena, x);
    DenseMatrix moments = Samples.random(arena, x.rows(), 2, 10);
    DenseMatrix gain = Samples.random(arena, 1, x.cols(), 2);
    DenseMatrix bias = Samples.random(arena, 1, x.cols(), 3);
    DenseMatrix t = Samples.random(arena, x.rows(), x.cols(), 4);
    try (Workers w = new Workers(threads)) {
      LayerNormalisation.forward(x, gain.data(), bias.data(), EPSILON, result.y, moments, w);
      LayerNormalisation.backward(x, gain.data(), moments, t, result.g, result.sums, w);
      DenseMatrix sums = Samples.random(arena, 2, x.cols(), 11);
      LayerNormalisation.backward(x, gain.data(), moments, t, null, sums, w);
      assertThat(sums.data().mismatch(result.sums.data())).isEqualTo(-1);
    }
    return result;
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void batchesFollowTheEquations(int[] size) {
    DenseMatrix x = input(size);
    Result one = batch(x, 1);
    assertThat(one.same(batch(x, 3))).isTrue();
    compare(x, false, one);
  }

  private Result batch(DenseMatrix x, int threads) {
    Result result = Result.empty(arena, x);
    DenseMatrix moments = Samples.random(arena, 2, x.cols(), 10);
    DenseMatrix gain = Samples.random(arena, 1, x.cols(), 2);
    DenseMatrix bias = Samples.random(arena, 1, x.cols(), 3);
    DenseMatrix t = Samples.random(arena, x.rows(), x.cols(), 4);
    try (Workers w = new Workers(threads)) {
      BatchNormalisation.moments(x, moments, w);
      BatchNormalisation.forward(
          x,
          moments.rows(0, 1).data(),
          moments.rows(1, 2).data(),
          gain.data(),
          bias.data(),
          EPSILON,
          result.y,
          w);
      BatchNormalisation.backward(x, moments, gain.data(), EPSILON, t, result.g, result.sums, w);
      DenseMatrix sums = Samples.random(arena, 2, x.cols(), 11);
      BatchNormalisation.backward(x, moments, gain.data(), EPSILON, t, null, sums, w);
      assertThat(sums.data().mismatch(result.sums.data())).isEqualTo(-1);
    }
    return result;
  }

  /// @param byRow whether a row is normalised, or a column
  private void compare(DenseMatrix x, boolean byRow, Result result) {
    DenseMatrix gain = Samples.random(arena, 1, x.cols(), 2);
    DenseMatrix bias = Samples.random(arena, 1, x.cols(), 3);
    DenseMatrix t = Samples.random(arena, x.rows(), x.cols(), 4);
    int rows = (int) x.rows();
    int groups = byRow ? rows : x.cols();
    int size = byRow ? x.cols() : rows;
    double[][] sums = new double[2][x.cols()];
    double widest = 1;
    for (int a = 0; a < groups; a++) {
      double mean = 0;
      double variance = 0;
      for (int b = 0; b < size; b++) {
        mean += value(x, byRow, a, b) / size;
      }
      for (int b = 0; b < size; b++) {
        variance += Math.pow(value(x, byRow, a, b) - mean, 2) / size;
      }
      double scale = 1 / Math.sqrt(variance + EPSILON);
      widest = Math.max(widest, scale);
      // The mean errs by its sum's rounding, at most size ulps of 4 and typically the root of that;
      // scale makes that an error of xhat, and where all numbers are nearly equal a large one.
      double tolerance = 16 * Math.sqrt(size) * 0x1p-24 * 4 * scale;
      double meanQ = 0;
      double meanProduct = 0;
      for (int b = 0; b < size; b++) {
        int i = byRow ? a : b;
        int j = byRow ? b : a;
        double hat = (x.get(i, j) - mean) * scale;
        sums[0][j] += t.get(i, j) * hat;
        sums[1][j] += t.get(i, j);
        meanQ += (double) t.get(i, j) * gain.get(0, j) / size;
        meanProduct += (double) t.get(i, j) * gain.get(0, j) * hat / size;
        double y = hat * gain.get(0, j) + bias.get(0, j);
        assertThat(Math.abs(result.y.get(i, j) - y)).isLessThan(tolerance);
      }
      for (int b = 0; b < size; b++) {
        int i = byRow ? a : b;
        int j = byRow ? b : a;
        double hat = (x.get(i, j) - mean) * scale;
        double q = (double) t.get(i, j) * gain.get(0, j);
        double g = scale * (q - meanQ - hat * meanProduct);
        assertThat(Math.abs(result.g.get(i, j) - g)).isLessThan(2 * tolerance * scale);
      }
    }
    for (int j = 0; j < x.cols(); j++) {
      double tolerance = rows * 16 * Math.sqrt(size) * 0x1p-24 * 4 * widest;
      assertThat(Math.abs(result.sums.get(0, j) - sums[0][j])).isLessThan(tolerance);
      assertThat(Math.abs(result.sums.get(1, j) - sums[1][j])).isLessThan(rows * 0x1p-20);
    }
  }

  private static double value(DenseMatrix x, boolean byRow, int a, int b) {
    return byRow ? x.get(a, b) : x.get(b, a);
  }

  @Test
  void notANumberStaysInItsRowOrColumn() {
    DenseMatrix x = input(new int[] {70, 5});
    x.set(3, 2, Float.NaN);
    Result row = layer(x, 1);
    assertThat(row.y.get(3, 0)).isNaN();
    assertThat(row.y.get(2, 2)).isFinite();
    Result column = batch(x, 1);
    assertThat(column.y.get(0, 2)).isNaN();
    assertThat(column.y.get(3, 0)).isFinite();
  }

  @Test
  void refusesWhatDoesNotFit() {
    DenseMatrix x = input(new int[] {4, 5});
    try (Workers w = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> BatchNormalisation.moments(x, x, w))
          .withMessageContaining("x is 4 x 5");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> LayerNormalisation.forward(x, x.data(), x.data(), 1, x, x, w))
          .withMessageContaining("there are 20 gains");
    }
  }
}
