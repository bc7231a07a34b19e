package dev.gossamer.gnn.historical;

import java.util.Arrays;

/// How fast embeddings change during training, relative to how much they differ.
///
/// A batch without a row uses the mean of others instead, with an error of the size of their
/// differences. A batch with an old row has an error of the size of its change. Both are measured
/// on the same rows, computed from the same neighbours and without dropout, some batches apart.
///
/// @param perBatch root mean square change of rows per batch, divided by the root mean square
///   distance of rows from their mean; of the layer that changes most. The change over several
///   batches is assumed to be a straight line, which gives an upper bound for more batches
public record EmbeddingDrift(double perBatch) {
  /// {@return the sum of the squared changes of rows, and that of their squared distances from
  /// their mean}
  ///
  /// @param before rows of equal length
  /// @param after the same rows later
  public static double[] squares(float[][] before, float[][] after) {
    double way = 0;
    double squares = 0;
    double[] sum = new double[after.length == 0 ? 0 : after[0].length];
    for (int i = 0; i < after.length; i++) {
      for (int j = 0; j < sum.length; j++) {
        double x = after[i][j];
        way += (x - before[i][j]) * (x - before[i][j]);
        squares += x * x;
        sum[j] += x;
      }
    }
    double ofMean = Arrays.stream(sum).map(x -> x * x / after.length).sum();
    return new double[] {way, Math.max(0, squares - ofMean)};
  }

  /// {@return the drift, from sums over rows}
  ///
  /// @param sums results of [#squares] for each layer, over all ranks
  /// @param batches between the first and the second time that rows were computed
  public static EmbeddingDrift of(double[] sums, int batches) {
    double most = 0;
    for (int l = 0; l < sums.length; l += 2) {
      most = Math.max(most, sums[l] == 0 ? 0 : Math.sqrt(sums[l] / sums[l + 1]) / batches);
    }
    return new EmbeddingDrift(most);
  }
}
