package dev.gossamer.cli.data;

import dev.gossamer.matrix.CsrMatrix;
import java.util.ArrayList;
import java.util.List;

/// The degrees of a graph: the lengths of the rows of its adjacency matrix, in a directed graph the
/// arcs that leave a vertex.
///
/// @param least the smallest
/// @param quartiles the smallest degrees that at least 1/4, 1/2 and 3/4 of the vertices do not
///   exceed
/// @param mean over all vertices
/// @param most the largest
/// @param isolated vertices of degree 0
/// @param bins ascending, from the first with a vertex to the last
record DegreeFacts(
    long least, List<Long> quartiles, double mean, long most, long isolated, List<Bin> bins) {
  /// The vertices whose degrees are between two powers of two: 0, 1, 2 to 3, 4 to 7, ...
  ///
  /// @param from smallest degree
  /// @param to largest degree
  record Bin(long from, long to, long vertices) {}

  /// Java heap: 4 bytes per degree up to the largest.
  static DegreeFacts of(CsrMatrix a) {
    long most = 0;
    for (long v = 0; v < a.rows(); v++) {
      most = Math.max(most, a.rowLength(v));
    }
    int[] counts = new int[Math.toIntExact(most) + 1];
    for (long v = 0; v < a.rows(); v++) {
      counts[(int) a.rowLength(v)]++;
    }
    return new DegreeFacts(
        quantile(counts, Math.min(1, a.rows())),
        List.of(
            quantile(counts, quarter(a.rows(), 1)),
            quantile(counts, quarter(a.rows(), 2)),
            quantile(counts, quarter(a.rows(), 3))),
        (double) a.nnz() / Math.max(1, a.rows()),
        most,
        counts[0],
        bins(counts));
  }

  private static long quarter(long vertices, int quarters) {
    return Math.ceilDiv(vertices * quarters, 4);
  }

  /// The smallest degree that a number of vertices do not exceed.
  private static long quantile(int[] counts, long vertices) {
    int degree = 0;
    for (long found = counts[0]; found < vertices; found += counts[degree]) {
      degree++;
    }
    return degree;
  }

  private static List<Bin> bins(int[] counts) {
    List<Bin> bins = new ArrayList<>();
    for (long from = 0; from < counts.length; from = from == 0 ? 1 : 2 * from) {
      long to = from == 0 ? 0 : 2 * from - 1;
      long vertices = 0;
      for (long degree = from; degree <= Math.min(to, counts.length - 1L); degree++) {
        vertices += counts[(int) degree];
      }
      if (vertices > 0 || !bins.isEmpty()) {
        bins.add(new Bin(from, to, vertices));
      }
    }
    return List.copyOf(bins);
  }
}
