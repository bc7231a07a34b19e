package dev.gossamer.graph.generate;

import dev.gossamer.matrix.CsrMatrix;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;

/// The number of vertices of each degree. Immutable.
public final class DegreeDistribution {
  private final int[] counts;
  private final int vertices;

  /// @param given may end in zeros
  private DegreeDistribution(int[] given) {
    int last = given.length - 1;
    while (last > 0 && given[last] == 0) {
      last--;
    }
    counts = Arrays.copyOf(given, last + 1);
    vertices = Math.toIntExact(Arrays.stream(counts).asLongStream().sum());
    Require.that(vertices >= 1, "vertices", "at least 1", vertices);
    Require.that(
        last < vertices, "degrees", "at most " + (vertices - 1) + ", one less than vertices", last);
  }

  /// Creates a distribution from counts.
  ///
  /// @param counts number of vertices of each degree `d`; copied
  /// @return the distribution
  public static DegreeDistribution ofCounts(int[] counts) {
    Objects.requireNonNull(counts, "counts");
    Require.that(counts.length > 0, "counts", "at least one", counts.length);
    for (int degree = 0; degree < counts.length; degree++) {
      int count = counts[degree];
      Require.that(count >= 0, "counts", "at least 0 of degree " + degree, count);
    }
    return new DegreeDistribution(counts);
  }

  /// {@return the degrees of a graph: the lengths of the rows of `a`}
  ///
  /// @param a adjacency matrix
  public static DegreeDistribution of(CsrMatrix a) {
    Objects.requireNonNull(a, "a");
    int longest = 0;
    for (long v = 0; v < a.rows(); v++) {
      longest = Math.max(longest, Math.toIntExact(a.rowLength(v)));
    }
    int[] counts = new int[longest + 1];
    for (long v = 0; v < a.rows(); v++) {
      counts[(int) a.rowLength(v)]++;
    }
    return new DegreeDistribution(counts);
  }

  /// {@return degrees with shares proportional to `d^-exponent`}
  ///
  /// @param vertices `n`
  /// @param exponent usually 2 to 3
  /// @param minDegree smallest degree, at least 1
  /// @param maxDegree largest degree, less than `n`
  public static DegreeDistribution powerLaw(
      int vertices, double exponent, int minDegree, int maxDegree) {
    Require.that(Double.isFinite(exponent), "exponent", "a number", exponent);
    return shares(vertices, minDegree, maxDegree, degree -> Math.pow(degree, -exponent));
  }

  /// {@return degrees with shares proportional to `exp(-(ln d - ln median)^2 / (2 sigma^2)) / d`}
  ///
  /// @param vertices `n`
  /// @param median of the degree, approximately
  /// @param sigma standard deviation of the logarithm of the degree
  /// @param maxDegree largest degree, less than `n`; the smallest is 1
  public static DegreeDistribution logNormal(
      int vertices, double median, double sigma, int maxDegree) {
    Require.positive("median", median);
    Require.positive("sigma", sigma);
    return shares(
        vertices,
        1,
        maxDegree,
        degree -> {
          double z = (Math.log(degree) - Math.log(median)) / sigma;
          return Math.exp(-z * z / 2) / degree;
        });
  }

  /// {@return a distribution with every degree multiplied by `factor` and rounded, at least 1 for
  /// degrees above 0, as in MG-GCN (section 6.1)} Degrees are limited to `n - 1`; the excess is
  /// distributed proportionally over the other vertices, so that the number of edges is multiplied
  /// by `factor`, up to the complete graph.
  ///
  /// @param factor more than 0
  public DegreeDistribution scaledBy(double factor) {
    Require.positive("scaleDegrees", factor);
    DegreeDistribution scaled = times(factor);
    if (counts.length - 1 <= (vertices - 1) / factor) {
      return scaled;
    }
    double low = factor;
    double high = vertices - 1.0;
    while (high - low > 1e-9 * high) {
      double middle = (low + high) / 2;
      DegreeDistribution more = times(middle);
      if ((double) more.sum() <= factor * (double) sum()) {
        low = middle;
        scaled = more;
      } else {
        high = middle;
      }
    }
    return scaled;
  }

  /// Returns every degree multiplied by `factor` and rounded, between 1, for degrees above 0, and
  /// `n - 1`.
  DegreeDistribution times(double factor) {
    int[] scaled = new int[vertices];
    for (int degree = 0; degree < counts.length; degree++) {
      long target = degree == 0 ? 0 : Math.max(1, Math.round(degree * factor));
      scaled[(int) Math.min(target, vertices - 1L)] += counts[degree];
    }
    return new DegreeDistribution(scaled);
  }

  /// {@return `n`}
  public int vertices() {
    return vertices;
  }

  /// {@return the number of vertices of a degree}
  ///
  /// @param degree number of neighbours
  public int count(int degree) {
    return degree < counts.length ? counts[degree] : 0;
  }

  /// {@return the sum of all degrees: twice the edges}
  public long sum() {
    long sum = 0;
    for (int degree = 0; degree < counts.length; degree++) {
      sum += (long) degree * counts[degree];
    }
    return sum;
  }

  /// {@return the mean degree}
  public double mean() {
    return (double) sum() / vertices;
  }

  /// {@return the largest degree of a vertex}
  public int max() {
    return counts.length - 1;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DegreeDistribution that && Arrays.equals(counts, that.counts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(counts);
  }

  /// Returns a text such as `2708 vertices of mean degree 3.9, at most 168`.
  @Override
  public String toString() {
    return "%d vertices of mean degree %.4g, at most %d".formatted(vertices, mean(), max());
  }

  /// Rounds the cumulated shares, so that the counts add up to `n`.
  private static DegreeDistribution shares(
      int vertices, int least, int most, IntToDoubleFunction share) {
    Require.that(vertices >= 2, "vertices", "at least 2", vertices);
    Require.that(least >= 1, "minDegree", "at least 1", least);
    Require.that(
        most >= least && most < vertices, "maxDegree", least + " to " + (vertices - 1), most);
    double total = 0;
    for (int degree = least; degree <= most; degree++) {
      total += share.applyAsDouble(degree);
    }
    Require.that(
        total > 0 && total < Double.POSITIVE_INFINITY,
        "degrees",
        "shares whose sum is more than 0",
        total);
    int[] counts = new int[most + 1];
    double sum = 0;
    long given = 0;
    for (int degree = least; degree <= most; degree++) {
      sum += share.applyAsDouble(degree);
      long until = degree == most ? vertices : Math.round(vertices * (sum / total));
      counts[degree] = (int) (until - given);
      given = until;
    }
    return new DegreeDistribution(counts);
  }
}
