package dev.gossamer;

import java.util.ArrayList;
import java.util.List;

/// How near probabilities are to frequencies: vertices with a known class in [#BINS] bins of equal
/// width, by the probability of their likeliest class (C. Guo et al., On calibration of modern
/// neural networks, 2017).
///
/// @param bins from that of the lowest probabilities to that of the highest
public record Reliability(List<Bin> bins) {
  /// Bins between the probabilities 0 and 1.
  public static final int BINS = 15;

  /// Sums of a bin that [#of] takes.
  static final int SUMS = 3;

  /// Vertices whose likeliest classes have similar probabilities.
  ///
  /// @param vertices how many
  /// @param confidence mean probability of the likeliest class; NaN without vertices
  /// @param accuracy share of the vertices whose likeliest class is right; NaN without vertices
  public record Bin(long vertices, double confidence, double accuracy) {}

  /// Copies the list.
  public Reliability {
    bins = List.copyOf(bins);
  }

  /// The bins with some sums.
  ///
  /// @param sums of each bin: vertices, probabilities of likeliest classes, right ones; more are
  ///   not read
  static Reliability of(double[] sums) {
    List<Bin> bins = new ArrayList<>();
    for (int at = 0; at < SUMS * BINS; at += SUMS) {
      double n = sums[at];
      bins.add(new Bin((long) n, sums[at + 1] / n, sums[at + 2] / n));
    }
    return new Reliability(bins);
  }

  /// The first of the sums of the bin of a vertex.
  ///
  /// @param confidence probability of its likeliest class
  static int at(double confidence) {
    return SUMS * Math.min(BINS - 1, (int) (confidence * BINS));
  }

  /// {@return vertices in all bins}
  public long vertices() {
    return bins.stream().mapToLong(Bin::vertices).sum();
  }

  /// {@return the expected calibration error: the mean over all vertices of the distance between
  /// confidence and accuracy of their bin; NaN without vertices}
  public double error() {
    double sum =
        bins.stream()
            .filter(bin -> bin.vertices > 0)
            .mapToDouble(bin -> bin.vertices * Math.abs(bin.confidence - bin.accuracy))
            .sum();
    return sum / vertices();
  }
}
