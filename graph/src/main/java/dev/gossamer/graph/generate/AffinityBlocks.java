package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream.Sink;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.Arrays;

/// The first phase of [Bter]: vertices by ascending degree, from degree 2 on cut into blocks of `d
/// + 1`, where `d` is the smallest degree in the block. Pairs in a block are joined with
///   probability `rho = c(d)^(1/3)`, so that three of them close a triangle with `c(d)`.
final class AffinityBlocks {
  private final int[] degrees;
  private final int[] starts;
  private final double[] density;

  /// @param share of the density that the clustering asks for
  AffinityBlocks(DegreeDistribution distribution, Bter.Clustering clustering, double share) {
    degrees = ascending(distribution);
    int[] found = new int[degrees.length + 1];
    double[] joined = new double[degrees.length];
    int blocks = 0;
    int begin = distribution.count(0) + distribution.count(1);
    found[0] = begin;
    while (begin < degrees.length) {
      joined[blocks++] = share * Math.cbrt(clustering.at(degrees[begin]));
      begin = (int) Math.min(degrees.length, begin + degrees[begin] + 1L);
      found[blocks] = begin;
    }
    starts = Arrays.copyOf(found, blocks + 1);
    density = Arrays.copyOf(joined, blocks);
  }

  int count() {
    return density.length;
  }

  /// First vertex of a block; `start(count())` is `n`.
  int start(int block) {
    return starts[block];
  }

  /// Probability that two vertices of a block are joined.
  double density(int block) {
    return density[block];
  }

  /// Edges of this phase, on average.
  double expectedEdges() {
    double sum = 0;
    for (int block = 0; block < count(); block++) {
      double size = starts[block + 1] - starts[block];
      sum += density[block] * size * (size - 1) / 2;
    }
    return sum;
  }

  /// Returns the mean missing degree of each vertex after this phase: `d_v - rho (size - 1)`, at
  /// least 0.
  double[] excess() {
    double[] excess = new double[degrees.length];
    for (int v = 0; v < starts[0]; v++) {
      excess[v] = degrees[v];
    }
    for (int block = 0; block < count(); block++) {
      double given = density[block] * (starts[block + 1] - starts[block] - 1);
      for (int v = starts[block]; v < starts[block + 1]; v++) {
        excess[v] = Math.max(0, degrees[v] - given);
      }
    }
    return excess;
  }

  /// Streams the edges of this phase, one draw per pair: about half the sum of the degrees in
  /// total.
  void tell(long seed, int[] ids, Sink sink) {
    CounterRandom random = new CounterRandom(seed, Purpose.ARCS);
    long pair = 0;
    for (int block = 0; block < count(); block++) {
      for (int u = starts[block]; u < starts[block + 1]; u++) {
        for (int v = u + 1; v < starts[block + 1]; v++) {
          if (random.at(pair++).nextDouble() < density[block]) {
            sink.arc(ids[u], ids[v], 1f);
          }
        }
      }
    }
  }

  private static int[] ascending(DegreeDistribution distribution) {
    int[] degrees = new int[distribution.vertices()];
    int v = 0;
    for (int degree = 0; degree <= distribution.max(); degree++) {
      Arrays.fill(degrees, v, v + distribution.count(degree), degree);
      v += distribution.count(degree);
    }
    return degrees;
  }
}
