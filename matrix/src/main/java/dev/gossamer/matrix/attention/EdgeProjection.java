package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The product of the features of edges and a small matrix, `S = X_e Q`, and the gradient of `Q`.
///
/// Edges are divided into at most [#PARTS] ranges by their number alone, whose sums are added in
/// their order: results do not depend on the number of threads. Cost: forward `nnz (4 d + 8)` bytes
/// read and `4 nnz K` written, backward about the same. Java heap: [#PARTS] copies of the gradient,
/// in float64. Stateless.
public final class EdgeProjection {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Ranges of edges.
  private static final int PARTS = 64;

  /// Fewer edges are not worth a range of their own.
  private static final long LEAST = 1 << 8;

  private EdgeProjection() {}

  /// Computes `S = X_e Q`: `s[e][k] = sum over f of x[e][f] q[f][k]`; zeros for edges without
  /// features.
  ///
  /// @param edges features of each edge
  /// @param q `d K` numbers, row by row
  /// @param s `edges x K`, overwritten
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public static void forward(EdgeRows edges, float[] q, DenseMatrix s, Workers workers) {
    int width = s.cols();
    require(edges, q.length, s.rows(), width);
    long step = step(edges.edges());
    DenseMatrix x = edges.x();
    workers.run(
        parts(edges.edges()),
        (part, worker) -> {
          float[] sums = new float[width];
          float[] features = new float[x.cols()];
          long end = Math.min(edges.edges(), (part + 1) * step);
          for (long e = part * step; e < end; e++) {
            Arrays.fill(sums, 0f);
            long row = edges.row(e);
            if (row >= 0) {
              MemorySegment.copy(x.data(), FLOAT, x.offset(row), features, 0, features.length);
              addProduct(features, q, sums);
            }
            MemorySegment.copy(sums, 0, s.data(), FLOAT, s.offset(e), width);
          }
        },
        edges.numbers(),
        x.data(),
        s.data());
  }

  /// Computes the gradient of `Q`: `dq[f][k] = sum over e of x[e][f] g[e][first + k]`.
  ///
  /// @param edges features of each edge
  /// @param g `edges x` at least `first + K`, the gradient of `S` in its columns from `first` on
  /// @param first column
  /// @param width `K`
  /// @param workers threads that share the work
  /// @return `d K` numbers, row by row
  /// @throws IllegalArgumentException if a shape does not fit
  public static double[] gradient(
      EdgeRows edges, DenseMatrix g, int first, int width, Workers workers) {
    int d = edges.width();
    require(edges, (long) d * width, g.rows(), width);
    long step = step(edges.edges());
    DenseMatrix x = edges.x();
    double[][] parts = new double[parts(edges.edges())][d * width];
    workers.run(
        parts.length,
        (part, worker) -> {
          float[] features = new float[d];
          float[] slopes = new float[width];
          long end = Math.min(edges.edges(), (part + 1) * step);
          for (long e = part * step; e < end; e++) {
            long row = edges.row(e);
            if (row >= 0) {
              long gradient = g.offset(e) + (long) first * Float.BYTES;
              MemorySegment.copy(x.data(), FLOAT, x.offset(row), features, 0, d);
              MemorySegment.copy(g.data(), FLOAT, gradient, slopes, 0, width);
              addOuter(features, slopes, parts[part]);
            }
          }
        },
        edges.numbers(),
        x.data(),
        g.data());
    double[] all = new double[d * width];
    for (double[] part : parts) {
      for (int i = 0; i < all.length; i++) {
        all[i] += part[i];
      }
    }
    return all;
  }

  private static void addProduct(float[] features, float[] q, float[] sums) {
    int at = 0;
    for (float value : features) {
      for (int k = 0; k < sums.length; k++) {
        sums[k] = Math.fma(value, q[at++], sums[k]);
      }
    }
  }

  private static void addOuter(float[] features, float[] slopes, double[] sums) {
    int at = 0;
    for (double value : features) {
      for (float slope : slopes) {
        sums[at++] += value * slope;
      }
    }
  }

  private static long step(long edges) {
    return Math.max(LEAST, Math.ceilDiv(edges, PARTS));
  }

  private static int parts(long edges) {
    return (int) Math.ceilDiv(edges, step(edges));
  }

  private static void require(EdgeRows edges, long weights, long rows, int width) {
    if (rows != edges.edges() || weights != (long) edges.width() * width) {
      throw new IllegalArgumentException(
          "features of edges: %d rows and %d weights; expected %d and %d x %d"
              .formatted(rows, weights, edges.edges(), edges.width(), width));
    }
  }
}
