package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.util.Arrays;

/// The rows of a matrix that have a loss: a loss replaces them by its gradient, and all others by
/// zero.
final class ListedRows {
  private final int[] rows;
  private final long total;

  /// @param rows strictly ascending
  /// @param total rows listed on all ranks
  /// @param count rows of the matrix
  /// @throws IllegalArgumentException if the rows do not ascend or there are more than the total
  ListedRows(int[] rows, long total, int count) {
    int previous = -1;
    for (int row : rows) {
      if (row <= previous || row >= count) {
        throw new IllegalArgumentException(
            "loss: row %d follows row %d; rows must ascend and stay below %d"
                .formatted(row, previous, count));
      }
      previous = row;
    }
    if (total < rows.length) {
      throw new IllegalArgumentException(
          "loss: %d rows of a total of %d".formatted(rows.length, total));
    }
    this.rows = rows;
    this.total = total;
  }

  /// The loss of one row, which becomes the gradient.
  @FunctionalInterface
  interface Row {
    double loss(int row);
  }

  /// {@return the weight of a listed row in the mean}
  float weight() {
    return 1f / Math.max(1, total);
  }

  /// {@return the sum of the losses over the total}
  double mean(DenseMatrix z, Workers w, Row each) {
    double sum =
        TaskSums.of(
            Math.toIntExact(z.rows()), z.cols(), w, (begin, end) -> range(z, begin, end, each));
    return total == 0 ? 0 : sum / total;
  }

  private double range(DenseMatrix z, int begin, int end, Row each) {
    int at = Arrays.binarySearch(rows, begin);
    int next = at < 0 ? -at - 1 : at;
    int done = begin;
    double sum = 0;
    for (; next < rows.length && rows[next] < end; next++) {
      int row = rows[next];
      clear(z, done, row);
      sum += each.loss(row);
      done = row + 1;
    }
    clear(z, done, end);
    return sum;
  }

  /// {@return the sum of the losses of all rows, each times its weight}
  ///
  /// @param weights of the rows
  /// @throws IllegalArgumentException if there is not one for each row
  static double weightedSum(DenseMatrix z, float[] weights, Workers w, Row each) {
    if (weights.length != z.rows()) {
      throw new IllegalArgumentException(
          "loss: outputs are %s but there are %d weights".formatted(z, weights.length));
    }
    return TaskSums.of(
        weights.length,
        z.cols(),
        w,
        (begin, end) -> {
          double sum = 0;
          for (int i = begin; i < end; i++) {
            if (weights[i] == 0) {
              clear(z, i, i + 1L);
            } else {
              sum += weights[i] * each.loss(i);
            }
          }
          return sum;
        });
  }

  private static void clear(DenseMatrix z, long begin, long end) {
    z.data().asSlice(z.offset(begin), z.offset(end - begin)).fill((byte) 0);
  }
}
