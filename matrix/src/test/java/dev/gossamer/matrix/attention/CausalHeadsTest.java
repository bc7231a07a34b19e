package dev.gossamer.matrix.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Samples;
import java.lang.foreign.Arena;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// [CausalHeads] against loops over single elements, from the equations.
class CausalHeadsTest {
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  static Stream<int[]> sizes() {
    return Stream.of(1, 2, Samples.LANES - 1, Samples.LANES, Samples.LANES + 1, 67, 131)
        .flatMap(length ->
            Stream.of(
                new int[] {2, length, 1, 3},
                new int[] {1, length, 3, Samples.LANES},
                new int[] {2, length, 2, 67}));
  }

  /// What comes out of a pass, and what the backward pass makes of it.
  private record Result(DenseMatrix o, DenseMatrix g) {}

  private Result result(
      CausalHeads heads, int samples, DenseMatrix qkv, DenseMatrix t, int threads) {
    DenseMatrix o = Samples.random(arena, qkv.rows(), heads.columns(), 3);
    DenseMatrix sums = Samples.random(arena, qkv.rows(), 2 * heads.heads(), 4);
    DenseMatrix g = Samples.random(arena, qkv.rows(), qkv.cols(), 5);
    DenseMatrix work = Samples.random(arena, heads.workElements(samples), 1, 6);
    work.fill(Float.NaN);
    try (Workers w = new Workers(threads)) {
      for (int i = 0; i < threads; i++) {
        w.scratch(i).fill((byte) 0xFF);
      }
      heads.forward(qkv, o, sums, w);
      heads.backward(qkv, o, sums, t, g, work, w);
    }
    return new Result(o, g);
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void agreesWithTheEquations(int[] size) {
    int samples = size[0];
    int length = size[1];
    CausalHeads heads = new CausalHeads(length, size[2], size[3]);
    long rows = (long) samples * length;
    DenseMatrix qkv = Samples.random(arena, rows, 3 * heads.columns(), 1);
    DenseMatrix t = Samples.random(arena, rows, heads.columns(), 2);
    Result one = result(heads, samples, qkv, t, 1);
    Result three = result(heads, samples, qkv, t, 3);
    assertThat(one.o.data().mismatch(three.o.data())).isEqualTo(-1);
    assertThat(one.g.data().mismatch(three.g.data())).isEqualTo(-1);
    double[][] o = new double[(int) rows][heads.columns()];
    double[][] g = new double[(int) rows][3 * heads.columns()];
    for (int s = 0; s < samples; s++) {
      for (int h = 0; h < heads.heads(); h++) {
        reference(heads, qkv, t, s * length, h, o, g);
      }
    }
    // Elements are at most 1: a score errs by about 2 sqrt(D) ulp, and what is made of it, a sum of
    // at most T + D terms, by that times its own size.
    double tolerance = 8 * (length + heads.width()) * 0x1p-24 * Math.sqrt(heads.width());
    compare(one.o, o, tolerance);
    compare(one.g, g, tolerance * Math.sqrt(heads.width()));
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void aRowAloneAgreesWithAllRows(int[] size) {
    int length = size[1];
    CausalHeads heads = new CausalHeads(length, size[2], size[3]);
    DenseMatrix qkv = Samples.random(arena, length, 3 * heads.columns(), 1);
    double[][] expected = new double[length][heads.columns()];
    double[][] g = new double[length][3 * heads.columns()];
    DenseMatrix t = DenseMatrix.allocate(arena, length, heads.columns());
    for (int h = 0; h < heads.heads(); h++) {
      reference(heads, qkv, t, 0, h, expected, g);
    }
    DenseMatrix o = Samples.random(arena, length, heads.columns(), 3);
    try (Workers w = new Workers(2)) {
      w.scratch(0).fill((byte) 0xFF);
      w.scratch(1).fill((byte) 0xFF);
      for (int i = 0; i < length; i++) {
        heads.row(qkv, i, o.rows(i, i + 1), w);
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> heads.row(qkv, length, o.rows(0, 1), w))
          .withMessageContaining("position " + length);
    }
    double tolerance = 8 * (length + heads.width()) * 0x1p-24 * Math.sqrt(heads.width());
    compare(o, expected, tolerance);
  }

  private static void compare(DenseMatrix actual, double[][] expected, double tolerance) {
    for (int i = 0; i < expected.length; i++) {
      for (int j = 0; j < expected[i].length; j++) {
        assertThat(Math.abs(actual.get(i, j) - expected[i][j]))
            .as("row %d, column %d", i, j)
            .isLessThan(tolerance);
      }
    }
  }

  /// One head of the sample whose rows begin at `first`.
  private static void reference(
      CausalHeads heads,
      DenseMatrix qkv,
      DenseMatrix t,
      int first,
      int head,
      double[][] o,
      double[][] g) {
    int width = heads.width();
    int d = heads.columns();
    int q = head * width;
    double scale = 1 / Math.sqrt(width);
    for (int i = first; i < first + heads.length(); i++) {
      double[] p = new double[i + 1];
      double sum = 0;
      for (int j = first; j <= i; j++) {
        double score = 0;
        for (int c = 0; c < width; c++) {
          score += (double) qkv.get(i, q + c) * qkv.get(j, d + q + c);
        }
        p[j] = Math.exp(score * scale);
        sum += p[j];
      }
      double mean = 0;
      double[] slope = new double[i + 1];
      for (int j = first; j <= i; j++) {
        p[j] /= sum;
        for (int c = 0; c < width; c++) {
          double value = qkv.get(j, 2 * d + q + c);
          o[i][q + c] += p[j] * value;
          slope[j] += t.get(i, q + c) * value;
          g[j][2 * d + q + c] += p[j] * t.get(i, q + c);
        }
        mean += p[j] * slope[j];
      }
      for (int j = first; j <= i; j++) {
        double change = p[j] * (slope[j] - mean) * scale;
        for (int c = 0; c < width; c++) {
          g[i][q + c] += change * qkv.get(j, d + q + c);
          g[j][d + q + c] += change * qkv.get(i, q + c);
        }
      }
    }
  }

  @Test
  void largeScoresDoNotOverflow() {
    CausalHeads heads = new CausalHeads(5, 1, 4);
    DenseMatrix qkv = Samples.random(arena, 5, 12, 1);
    for (int i = 0; i < 5; i++) {
      for (int j = 0; j < 8; j++) {
        qkv.set(i, j, 1000f * (i + 1));
      }
    }
    Result result = result(heads, 1, qkv, Samples.random(arena, 5, 4, 2), 1);
    // The last key has by far the highest score: each row takes its own value.
    for (int i = 0; i < 5; i++) {
      for (int j = 0; j < 4; j++) {
        assertThat(result.o.get(i, j)).isEqualTo(qkv.get(i, 8 + j));
        assertThat(result.g.get(i, j)).isFinite();
      }
    }
  }

  @Test
  void refusesWhatDoesNotFit() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CausalHeads(1 << 20, 1, 64))
        .withMessageContaining("does not fit the scratch memory");
    assertThatIllegalArgumentException().isThrownBy(() -> new CausalHeads(4, 0, 4));
    DenseMatrix x = Samples.random(arena, 5, 12, 1);
    try (Workers w = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new CausalHeads(4, 1, 4).forward(x, x, x, w))
          .withMessageContaining("qkv is 5 x 12");
    }
  }
}
