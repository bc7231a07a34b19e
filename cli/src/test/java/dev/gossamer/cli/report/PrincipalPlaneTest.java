package dev.gossamer.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrincipalPlaneTest {
  private static final int N = 200;

  private static PrincipalPlane of(float[]... rows) {
    return PrincipalPlane.of(rows);
  }

  @Test
  void pointsOnALineHaveOneCoordinate() {
    float[][] rows = new float[5][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new float[] {10 - 4 * i, 7, 3 * i};
    }
    PrincipalPlane found = of(rows);
    // Unit steps of length 5; the greatest entry of the direction, that of the first column, is
    // positive, which turns the line round.
    assertThat(found.x()).containsExactly(new double[] {10, 5, 0, -5, -10}, within(1e-9));
    assertThat(found.y()).hasSize(5).containsOnly(0);
    assertThat(found.xShare()).isCloseTo(1, within(1e-12));
    assertThat(found.yShare()).isZero();
  }

  @Test
  void whatDoesNotVaryIsNothing() {
    for (float[][] rows :
        new float[][][] {
          {{0.1f, 3}, {0.1f, 3}, {0.1f, 3}}, {{-1e38f}}, {{Float.MIN_VALUE, 1}}, {{}, {}}, {}
        }) {
      PrincipalPlane found = of(rows);
      assertThat(found.x()).isEqualTo(new double[rows.length]);
      assertThat(found.y()).isEqualTo(new double[rows.length]);
      assertThat(found.xShare()).isZero();
      assertThat(found.yShare()).isZero();
    }
  }

  /// An ellipse in a plane of a space of several dimensions is found as it is, up to its signs.
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 7, 64})
  void aPlaneIsFoundHoweverItIsTurned(int dimensions) {
    Random random = new Random(dimensions);
    double[] u = unit(random, dimensions);
    double[] v = unit(random, dimensions);
    double along = dot(u, v);
    for (int j = 0; j < dimensions; j++) {
      v[j] -= along * u[j];
    }
    normalise(v);
    double[] a = new double[N];
    double[] b = new double[N];
    float[][] rows = new float[N][dimensions];
    for (int i = 0; i < N; i++) {
      a[i] = 3 * Math.cos(2 * Math.PI * i / N);
      b[i] = Math.sin(2 * Math.PI * i / N);
      for (int j = 0; j < dimensions; j++) {
        rows[i][j] = (float) (5 + a[i] * u[j] + b[i] * v[j]);
      }
    }
    PrincipalPlane found = of(rows);
    double signA = Math.signum(found.x()[0]);
    double signB = Math.signum(found.y()[N / 4]);
    for (int i = 0; i < N; i++) {
      // The rows are rounded to float32 at a distance of up to 8 from 0.
      assertThat(found.x()[i]).isCloseTo(signA * a[i], within(1e-5));
      assertThat(found.y()[i]).isCloseTo(signB * b[i], within(1e-5));
    }
    // Variances are as the squares of the half axes.
    assertThat(found.xShare()).isCloseTo(0.9, within(1e-6));
    assertThat(found.yShare()).isCloseTo(0.1, within(1e-6));
    assertThat(of(rows)).usingRecursiveComparison().isEqualTo(found);
  }

  /// Whatever the rows are, no other two directions have more variance than the axes: rotating all
  /// columns in pairs (Jacobi's method) finds all eigenvalues.
  @ParameterizedTest
  @ValueSource(ints = {3, 10, 40})
  void theSharesAreThoseOfTheLargestEigenvalues(int dimensions) {
    Random random = new Random(3);
    float[][] rows = new float[N][dimensions];
    for (float[] row : rows) {
      double common = random.nextGaussian();
      for (int j = 0; j < dimensions; j++) {
        row[j] = (float) (random.nextGaussian() * (j + 1) + common * (dimensions - j));
      }
    }
    double[] eigenvalues = eigenvalues(rows);
    double all = IntStream.range(0, dimensions).mapToDouble(j -> eigenvalues[j]).sum();
    PrincipalPlane found = of(rows);
    assertThat(found.xShare()).isCloseTo(eigenvalues[dimensions - 1] / all, within(1e-9));
    assertThat(found.yShare()).isCloseTo(eigenvalues[dimensions - 2] / all, within(1e-9));
    assertThat(variance(found.x()) / all).isCloseTo(found.xShare(), within(1e-9));
    assertThat(variance(found.y()) / all).isCloseTo(found.yShare(), within(1e-9));
  }

  private static double variance(double[] centred) {
    return dot(centred, centred) / centred.length;
  }

  /// Of the covariance, ascending.
  private static double[] eigenvalues(float[][] rows) {
    int d = rows[0].length;
    double[][] c = new double[d][d];
    for (int i = 0; i < d; i++) {
      for (int j = 0; j < d; j++) {
        c[i][j] = covariance(rows, i, j);
      }
    }
    for (int sweep = 0; sweep < 30; sweep++) {
      for (int p = 0; p < d; p++) {
        for (int q = p + 1; q < d; q++) {
          rotate(c, p, q);
        }
      }
    }
    return IntStream.range(0, d).mapToDouble(j -> c[j][j]).sorted().toArray();
  }

  private static double covariance(float[][] rows, int i, int j) {
    double meanI = 0;
    double meanJ = 0;
    double product = 0;
    for (float[] row : rows) {
      meanI += row[i] / (double) rows.length;
      meanJ += row[j] / (double) rows.length;
      product += (double) row[i] * row[j] / rows.length;
    }
    return product - meanI * meanJ;
  }

  /// Makes the entry at `(p, q)` zero.
  private static void rotate(double[][] c, int p, int q) {
    double angle = Math.atan2(2 * c[p][q], c[q][q] - c[p][p]) / 2;
    double cos = Math.cos(angle);
    double sin = Math.sin(angle);
    for (double[] row : c) {
      double left = row[p];
      row[p] = cos * left - sin * row[q];
      row[q] = sin * left + cos * row[q];
    }
    for (int j = 0; j < c.length; j++) {
      double upper = c[p][j];
      c[p][j] = cos * upper - sin * c[q][j];
      c[q][j] = sin * upper + cos * c[q][j];
    }
  }

  private static double[] unit(Random random, int dimensions) {
    double[] vector = random.doubles(dimensions, -1, 1).toArray();
    normalise(vector);
    return vector;
  }

  private static void normalise(double[] vector) {
    double length = Math.sqrt(dot(vector, vector));
    for (int j = 0; j < vector.length; j++) {
      vector[j] /= length;
    }
  }

  private static double dot(double[] a, double[] b) {
    return IntStream.range(0, a.length).mapToDouble(j -> a[j] * b[j]).sum();
  }
}
