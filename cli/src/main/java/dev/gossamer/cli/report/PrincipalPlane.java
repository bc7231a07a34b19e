package dev.gossamer.cli.report;

import dev.gossamer.matrix.random.Philox;
import java.util.random.RandomGenerator;

/// Points of a space in the plane in which they vary most: their first two principal components.
///
/// With the mean `m` of the rows, the axes are the unit eigenvectors of the two largest eigenvalues
/// of the covariance `C = 1/n sum of (row - m)(row - m)^T`, found by orthogonal iteration, `V <-
/// orthonormal(C V)` (G. Golub and C. Van Loan, *Matrix computations*, section 8.2.4). The first
/// entry of an axis with the greatest magnitude is positive, and the iteration always starts with
/// the same draws, so that the same rows give the same points. Where rows vary in no direction, or
/// in one, the coordinates that are left are 0.
///
/// @param x of each row along the first axis, from the mean
/// @param y of each row along the second axis
/// @param xShare of the variance along the first axis, 0 to 1; 0 if there is none
/// @param yShare of the variance along the second axis
@SuppressWarnings("ArrayRecordComponent")
record PrincipalPlane(double[] x, double[] y, double xShare, double yShare) {
  private static final int STREAM = 0x504c414e;
  private static final int MOST_STEPS = 1000;

  /// How little an axis changes in the last step, as the length of the difference.
  private static final double CONVERGED = 1e-10;

  /// The share of the variance up to which it is a rounding error of float32.
  private static final double NOTHING = 1e-12;

  /// Bytes of an array without its elements, and of a reference to it.
  private static final int ARRAY_BYTES = 32;

  /// Vectors of a number for each column, besides the covariance.
  private static final int VECTORS = 8;

  /// Returns the bytes that finding the plane takes, with the rows.
  static long bytes(long rows, long columns) {
    return rows * (columns * Float.BYTES + ARRAY_BYTES + 2 * Double.BYTES)
        + columns * ((columns + VECTORS) * Double.BYTES + ARRAY_BYTES);
  }

  /// Finds the plane. Cost: `n d^2` multiplications, and `2 d^2` for each of at most 1,000 steps.
  ///
  /// @param rows finite numbers, `n x d`; borrowed
  static PrincipalPlane of(float[][] rows) {
    double[] mean = mean(rows);
    double[][] covariance = covariance(rows, mean);
    double variance = 0;
    for (int j = 0; j < mean.length; j++) {
      variance += covariance[j][j];
    }
    double[][] axes = new double[2][mean.length];
    if (variance > 0) {
      divide(covariance, variance);
      axes = axes(covariance);
    }
    return new PrincipalPlane(
        along(axes[0], rows, mean),
        along(axes[1], rows, mean),
        dot(axes[0], times(covariance, axes[0])),
        dot(axes[1], times(covariance, axes[1])));
  }

  private static double[] mean(float[][] rows) {
    double[] mean = new double[rows.length == 0 ? 0 : rows[0].length];
    for (float[] row : rows) {
      for (int j = 0; j < mean.length; j++) {
        mean[j] += row[j];
      }
    }
    for (int j = 0; j < mean.length; j++) {
      mean[j] /= rows.length;
    }
    return mean;
  }

  private static double[][] covariance(float[][] rows, double[] mean) {
    int d = mean.length;
    double[][] covariance = new double[d][d];
    double[] centred = new double[d];
    for (float[] row : rows) {
      for (int j = 0; j < d; j++) {
        centred[j] = row[j] - mean[j];
      }
      for (int i = 0; i < d; i++) {
        for (int j = 0; j <= i; j++) {
          covariance[i][j] += centred[i] * centred[j];
        }
      }
    }
    for (int i = 0; i < d; i++) {
      for (int j = 0; j <= i; j++) {
        covariance[i][j] /= rows.length;
        covariance[j][i] = covariance[i][j];
      }
    }
    return covariance;
  }

  private static void divide(double[][] matrix, double by) {
    for (double[] row : matrix) {
      for (int j = 0; j < row.length; j++) {
        row[j] /= by;
      }
    }
  }

  /// @param c of trace 1
  private static double[][] axes(double[][] c) {
    RandomGenerator random = Philox.keyed(0, STREAM, 0).sequence();
    double[][] axes = new double[2][c.length];
    for (double[] axis : axes) {
      for (int j = 0; j < axis.length; j++) {
        axis[j] = random.nextDouble() - 0.5;
      }
    }
    orthonormalise(axes);
    double change = 1;
    for (int step = 0; step < MOST_STEPS && change > CONVERGED; step++) {
      double[][] next = {times(c, axes[0]), times(c, axes[1])};
      orthonormalise(next);
      change = Math.max(distance(next[0], axes[0]), distance(next[1], axes[1]));
      axes = next;
    }
    for (double[] axis : axes) {
      scale(axis, Math.copySign(1, axis[largest(axis)]));
    }
    return axes;
  }

  /// Makes two vectors orthonormal in place; a second one of no length of its own becomes 0.
  private static void orthonormalise(double[][] vectors) {
    double[] first = vectors[0];
    double[] second = vectors[1];
    scale(first, 1 / Math.sqrt(dot(first, first)));
    // Twice, as the first time rounding leaves a part of the first vector.
    for (int pass = 0; pass < 2; pass++) {
      double along = dot(first, second);
      for (int j = 0; j < second.length; j++) {
        second[j] -= along * first[j];
      }
    }
    double length = Math.sqrt(dot(second, second));
    scale(second, length > NOTHING ? 1 / length : 0);
  }

  private static double[] times(double[][] matrix, double[] vector) {
    double[] product = new double[vector.length];
    for (int i = 0; i < vector.length; i++) {
      product[i] = dot(matrix[i], vector);
    }
    return product;
  }

  private static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int j = 0; j < a.length; j++) {
      sum += a[j] * b[j];
    }
    return sum;
  }

  private static double distance(double[] a, double[] b) {
    double sum = 0;
    for (int j = 0; j < a.length; j++) {
      sum += (a[j] - b[j]) * (a[j] - b[j]);
    }
    return Math.sqrt(sum);
  }

  private static void scale(double[] vector, double by) {
    for (int j = 0; j < vector.length; j++) {
      vector[j] *= by;
    }
  }

  private static int largest(double[] vector) {
    int largest = 0;
    for (int j = 1; j < vector.length; j++) {
      largest = Math.abs(vector[j]) > Math.abs(vector[largest]) ? j : largest;
    }
    return largest;
  }

  private static double[] along(double[] axis, float[][] rows, double[] mean) {
    double[] coordinates = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      for (int j = 0; j < axis.length; j++) {
        coordinates[i] += (rows[i][j] - mean[j]) * axis[j];
      }
    }
    return coordinates;
  }
}
