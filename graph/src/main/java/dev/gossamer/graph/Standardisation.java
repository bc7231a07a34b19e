package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/// Standardised features, `(x - mean) / deviation` in each column, with mean and standard deviation
/// of the training vertices only, so that no information leaks from the others; of all vertices, if
/// edges are predicted.
///
/// Sparse features are only divided, with means of 0, and stay sparse. A column that is constant
/// over the training vertices, as one of a type of vertices without labels, is divided by the root
/// mean square of what differs from the constant elsewhere, or by 1 if nothing does.
///
/// @param means of each column
/// @param deviations of each column, positive; population deviations, not sample deviations
public record Standardisation(List<Double> means, List<Double> deviations) {
  /// {@return means of 0 and deviations of 1, which change nothing}
  ///
  /// @param columns how many
  public static Standardisation identity(int columns) {
    return new Standardisation(
        Collections.nCopies(columns, 0.0), Collections.nCopies(columns, 1.0));
  }

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Vertices that are looked at for the largest values: features may be mapped, and take longer to
  /// read than an epoch of minibatches.
  private static final int LOOKED_AT = 1 << 16;

  /// Copies the lists.
  ///
  /// @throws IllegalArgumentException if the numbers of means and deviations differ, or a deviation
  ///   is not positive
  public Standardisation {
    means = List.copyOf(means);
    deviations = List.copyOf(deviations);
    if (means.size() != deviations.size() || deviations.stream().anyMatch(d -> !(d > 0))) {
      throw new IllegalArgumentException(
          "expected as many positive deviations as means, found %d and %d"
              .formatted(deviations.size(), means.size()));
    }
  }

  /// Computes the statistics of the training vertices, in two passes over them, and in one over all
  /// vertices if a column is constant.
  ///
  /// @param data with features, and with labels and a split or edges to predict
  /// @return means and deviations
  public static Standardisation of(GraphData data) {
    Columns columns = new Columns(data);
    boolean sparse = data.features() instanceof Features.Sparse;
    return new Standardisation(
        Arrays.stream(sparse ? new double[columns.means.length] : columns.means).boxed().toList(),
        Arrays.stream(columns.deviations()).boxed().toList());
  }

  /// {@return the largest absolute value of each column among at most 65,536 vertices, which are
  /// evenly spread}
  ///
  /// @param data with features
  public static double[] largest(GraphData data) {
    double[] largest = new double[data.features().width()];
    int step = Math.max(1, Math.ceilDiv(data.vertices(), LOOKED_AT));
    IntStream some = IntStream.range(0, Math.ceilDiv(data.vertices(), step)).map(i -> i * step);
    forEach(data, some, (c, value) -> largest[c] = Math.max(largest[c], Math.abs(value)));
    return largest;
  }

  private static IntStream all(GraphData data) {
    return IntStream.range(0, data.vertices());
  }

  /// A feature of a vertex.
  @FunctionalInterface
  private interface Sink {
    void value(int column, float value);
  }

  /// Passes the features of some vertices to a sink; of sparse features, the stored ones.
  private static void forEach(GraphData data, IntStream vertices, Sink sink) {
    vertices.forEach(v -> {
      switch (data.features()) {
        case Features.Dense(DenseMatrix x) -> {
          for (int c = 0; c < x.cols(); c++) {
            sink.value(c, x.get(v, c));
          }
        }
        case Features.Sparse(CsrMatrix x) -> {
          for (long e = x.rowPointer(v); e < x.rowPointer(v + 1L); e++) {
            sink.value(x.column(e), x.value(e));
          }
        }
        case Features.None none -> {}
      }
    });
  }

  /// The statistics of each column over the training vertices.
  private static final class Columns {
    private final double[] means;
    private final double[] squares;
    private final long[] stored;
    private final float[] least;
    private final float[] most;
    private final GraphData data;
    private final long rows;

    Columns(GraphData data) {
      this.data = data;
      int width = data.features().width();
      means = new double[width];
      squares = new double[width];
      stored = new long[width];
      least = new float[width];
      most = new float[width];
      int[] trained = data.batched();
      rows = trained.length;
      Arrays.fill(least, Float.POSITIVE_INFINITY);
      Arrays.fill(most, Float.NEGATIVE_INFINITY);
      forEach(data, Arrays.stream(trained), (c, value) -> means[c] += value);
      Arrays.setAll(means, c -> means[c] / Math.max(1, rows));
      forEach(data, Arrays.stream(trained), this::add);
    }

    private void add(int c, float value) {
      squares[c] += (value - means[c]) * (value - means[c]);
      stored[c]++;
      least[c] = Math.min(least[c], value);
      most[c] = Math.max(most[c], value);
    }

    /// Rounding gives equal values a deviation that is not exactly 0, so they are detected
    /// explicitly.
    private boolean isConstant(int c) {
      boolean zero = stored[c] == 0 || (least[c] == 0 && most[c] == 0);
      return zero || (stored[c] == rows && least[c] == most[c]);
    }

    private double[] deviations() {
      double[] sizes = sizesOfOthers();
      double[] deviations = new double[means.length];
      for (int c = 0; c < deviations.length; c++) {
        long zeros = rows - stored[c];
        deviations[c] =
            isConstant(c) ? sizes[c] : Math.sqrt((squares[c] + zeros * means[c] * means[c]) / rows);
      }
      return deviations;
    }

    /// Of constant columns, the root mean square of what differs elsewhere, 1 without any.
    private double[] sizesOfOthers() {
      double[] sums = new double[means.length];
      long[] counts = new long[means.length];
      if (IntStream.range(0, means.length).anyMatch(this::isConstant)) {
        forEach(
            data,
            all(data),
            (c, value) -> {
              double difference = value - (stored[c] == 0 ? 0 : least[c]);
              sums[c] += difference * difference;
              counts[c] += difference == 0 ? 0 : 1;
            });
      }
      return IntStream.range(0, sums.length)
          .mapToDouble(c -> counts[c] == 0 ? 1 : Math.sqrt(sums[c] / counts[c]))
          .toArray();
    }
  }

  /// Applies the scale to the features of any vertices.
  ///
  /// @param owner of the result
  /// @param x one column per mean
  /// @return dense features, or sparse features if `x` is sparse and all means are 0
  Features applied(Arena owner, Features x) {
    return switch (x) {
      case Features.Dense(DenseMatrix dense) -> {
        DenseMatrix result = DenseMatrix.allocate(owner, dense.rows(), dense.cols());
        for (long v = 0; v < dense.rows(); v++) {
          for (int c = 0; c < dense.cols(); c++) {
            result.set(v, c, scaled(c, dense.get(v, c)));
          }
        }
        yield new Features.Dense(result);
      }
      case Features.Sparse(CsrMatrix sparse) ->
          means.stream().allMatch(mean -> mean == 0)
              ? new Features.Sparse(divided(owner, sparse))
              : new Features.Dense(filled(owner, sparse));
      case Features.None none -> none;
    };
  }

  /// Turns standardised numbers into those that they stand for, `mean + deviation x`.
  ///
  /// @param x one column per mean, overwritten
  public void restore(DenseMatrix x) {
    for (long v = 0; v < x.rows(); v++) {
      for (int c = 0; c < x.cols(); c++) {
        x.set(v, c, (float) (means.get(c) + deviations.get(c) * x.get(v, c)));
      }
    }
  }

  /// {@return a number, standardised}
  ///
  /// @param column of the number
  /// @param value to standardise
  public float scaled(int column, float value) {
    return (float) ((value - means.get(column)) / deviations.get(column));
  }

  private CsrMatrix divided(Arena owner, CsrMatrix x) {
    MemorySegment values = owner.allocate(x.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (long e = 0; e < x.nnz(); e++) {
      values.set(FLOAT, e * Float.BYTES, scaled(x.column(e), x.value(e)));
    }
    return x.withValues(values);
  }

  private DenseMatrix filled(Arena owner, CsrMatrix x) {
    DenseMatrix result = DenseMatrix.allocate(owner, x.rows(), x.cols());
    for (long v = 0; v < x.rows(); v++) {
      for (int c = 0; c < x.cols(); c++) {
        result.set(v, c, scaled(c, 0));
      }
      for (long e = x.rowPointer(v); e < x.rowPointer(v + 1); e++) {
        result.set(v, x.column(e), scaled(x.column(e), x.value(e)));
      }
    }
    return result;
  }
}
