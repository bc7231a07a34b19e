package dev.gossamer.gnn.historical;

import java.util.Arrays;

/// How fast embeddings move while weights change, beside how much they differ.
///
/// A batch that does without a row takes the mean of others for it, and so errs by as much as rows
/// differ; a batch that takes an old row errs by as much as that has moved. Both are measured at
/// the same rows, computed of the same neighbours and without dropout, some batches apart.
///
/// @param perBatch root of the mean square by which rows move from one batch to the next, as a
///   share of the root of their mean squared distance from their mean; of the layer that moves
///   most. What rows move in several batches is taken for a straight line: an upper bound of what
///   they move in more
public record EmbeddingDrift(double perBatch) {
  /// {@return the sum of the squared ways of rows, and that of their squared distances from their
  /// mean}
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
  /// @param sums what [#squares] gives for each layer, over all ranks
  /// @param batches between the first and the second time that rows were computed
  public static EmbeddingDrift of(double[] sums, int batches) {
    double most = 0;
    for (int l = 0; l < sums.length; l += 2) {
      most = Math.max(most, sums[l] == 0 ? 0 : Math.sqrt(sums[l] / sums[l + 1]) / batches);
    }
    return new EmbeddingDrift(most);
  }
}
