package dev.gossamer.cli.data;

import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The values of a feature over all vertices.
///
/// @param name in the data set, or `feature` and its number
/// @param least the smallest
/// @param mean over all vertices
/// @param most the largest
record FeatureRange(String name, float least, double mean, float most) {
  private static final int STEP = 1 << 12;

  /// All features, in one pass over them. Java heap: 24 bytes per feature while they are read.
  static List<FeatureRange> of(GraphData dataset, Progress progress) {
    int width = dataset.features().width();
    Columns columns = new Columns(width);
    for (int v = 0; v < dataset.vertices() && width > 0; v++) {
      if (v % STEP == 0) {
        progress.at("reading features", v, dataset.vertices());
      }
      switch (dataset.features()) {
        case Features.Dense(DenseMatrix x) -> {
          for (int c = 0; c < width; c++) {
            columns.add(c, x.get(v, c));
          }
        }
        case Features.Sparse(CsrMatrix x) -> {
          for (long e = x.rowPointer(v); e < x.rowPointer(v + 1L); e++) {
            columns.add(x.column(e), x.value(e));
          }
        }
        case Features.None _ -> {}
      }
    }
    List<String> names = dataset.featureNames();
    List<FeatureRange> ranges = new ArrayList<>();
    for (int c = 0; c < width; c++) {
      ranges.add(
          columns.range(c, names == null ? "feature " + c : names.get(c), dataset.vertices()));
    }
    return ranges;
  }

  /// The largest absolute value.
  float magnitude() {
    return Math.max(Math.abs(least), Math.abs(most));
  }

  /// What was found so far.
  private static final class Columns {
    private final float[] least;
    private final float[] most;
    private final double[] sums;
    private final long[] values;

    Columns(int width) {
      least = new float[width];
      most = new float[width];
      sums = new double[width];
      values = new long[width];
      Arrays.fill(least, Float.POSITIVE_INFINITY);
      Arrays.fill(most, Float.NEGATIVE_INFINITY);
    }

    void add(int c, float value) {
      least[c] = Math.min(least[c], value);
      most[c] = Math.max(most[c], value);
      sums[c] += value;
      values[c]++;
    }

    /// Values that are not stored are 0.
    FeatureRange range(int c, String name, int vertices) {
      boolean all = values[c] == vertices;
      return new FeatureRange(
          name,
          all ? least[c] : Math.min(0, least[c]),
          sums[c] / Math.max(1, vertices),
          all ? most[c] : Math.max(0, most[c]));
    }
  }
}
