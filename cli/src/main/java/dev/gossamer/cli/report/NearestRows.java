package dev.gossamer.cli.report;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/// For each row of a matrix the others that are nearest, exactly: `|a - b|^2 = |a|^2 + |b|^2 - 2 a
/// b`, where the products of many rows with all others are one multiplication.
///
/// @param numbers of the nearest rows of each row, `n x k`, nearest first
/// @param distances to these rows
/// @param count neighbours of each row, `k`: fewer than there are rows
@SuppressWarnings("ArrayRecordComponent")
record NearestRows(int[] numbers, float[] distances, int count) {
  /// Products at a time.
  private static final int PRODUCTS = 1 << 22;

  /// Returns the bytes that finding the nearest takes, beside the rows.
  static long bytes(long rows, long columns, int count) {
    return rows * ((columns + 1) * Float.BYTES + (long) count * (Integer.BYTES + Float.BYTES))
        + Math.max(PRODUCTS, rows) * Float.BYTES;
  }

  /// Finds the nearest rows. Cost: `2 n^2 d` operations and `n^2` comparisons.
  ///
  /// @param rows finite numbers, `n x d`, with at least one column; borrowed
  /// @param most neighbours of each
  static NearestRows of(float[][] rows, int most, Workers workers, Progress progress) {
    int n = rows.length;
    int count = Math.max(0, Math.min(most, n - 1));
    NearestRows nearest = new NearestRows(new int[n * count], new float[n * count], count);
    if (count == 0) {
      return nearest;
    }
    float[] squares = squares(rows);
    try (Arena arena = Arena.ofShared()) {
      DenseMatrix all = DenseMatrix.of(arena, rows);
      int atATime = Math.clamp(PRODUCTS / n, 1, n);
      DenseMatrix products = DenseMatrix.allocate(arena, atATime, n);
      for (int begin = 0; begin < n; begin += atATime) {
        int first = begin;
        int end = Math.min(n, begin + atATime);
        Matmul.java()
            .multiplyTransposed(
                all.rows(begin, end),
                all,
                products.rows(0, end - begin),
                workers,
                RowEpilogue.NONE);
        workers.run(end - begin, (task, _) -> nearest.take(first + task, task, products, squares));
        progress.at("neighbours", end, n);
      }
    }
    return nearest;
  }

  private static float[] squares(float[][] rows) {
    float[] squares = new float[rows.length];
    for (int i = 0; i < rows.length; i++) {
      for (float each : rows[i]) {
        squares[i] += each * each;
      }
    }
    return squares;
  }

  /// Sorts the nearest of a row into its place; of equal distances the smallest number first.
  private void take(int row, int product, DenseMatrix products, float[] squares) {
    int begin = row * count;
    int found = 0;
    long at = products.offset(product);
    for (int other = 0; other < squares.length; other++, at += Float.BYTES) {
      if (other == row) {
        continue;
      }
      float distance =
          squares[row] + squares[other] - 2 * products.data().get(ValueLayout.JAVA_FLOAT, at);
      if (found == count && distance >= distances[begin + count - 1]) {
        continue;
      }
      int place = begin + (found < count ? found++ : count - 1);
      for (; place > begin && distances[place - 1] > distance; place--) {
        distances[place] = distances[place - 1];
        numbers[place] = numbers[place - 1];
      }
      distances[place] = distance;
      numbers[place] = other;
    }
    for (int i = begin; i < begin + count; i++) {
      distances[i] = (float) Math.sqrt(Math.max(0, distances[i]));
    }
  }
}
