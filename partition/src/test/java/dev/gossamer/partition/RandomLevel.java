package dev.gossamer.partition;

import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/// A level of random edges, loads and sizes, and the same as a dense matrix of weights, from which
/// naive oracles count.
public final class RandomLevel implements AutoCloseable {
  private final LevelGraph graph;
  private final long[][] weights;

  private RandomLevel(long[][] weights, int[][] loads, int[] sizes) {
    this.weights = weights;
    int n = weights.length;
    long[] starts = new long[n + 1];
    for (int v = 0; v < n; v++) {
      starts[v + 1] = starts[v] + Arrays.stream(weights[v]).filter(w -> w > 0).count();
    }
    graph = LevelGraph.allocate(starts, loads, sizes);
    for (int v = 0; v < n; v++) {
      long arc = starts[v];
      for (int u = 0; u < n; u++) {
        if (weights[v][u] > 0) {
          graph.set(arc++, u, weights[v][u]);
        }
      }
    }
  }

  /// Edges of weights 1 to 20 between random vertices, sizes 1 to 3. A vertex has a load of 1, and
  /// of further balanced quantities 0 to 5.
  ///
  /// @param edges drawn; those that are drawn twice, and loops, are left out
  /// @param quantities that are balanced
  public static RandomLevel of(Random random, int vertices, int edges, int quantities) {
    long[][] weights = new long[vertices][vertices];
    for (int e = 0; e < edges; e++) {
      int v = random.nextInt(vertices);
      int u = random.nextInt(vertices);
      if (v != u && weights[v][u] == 0) {
        weights[v][u] = 1L + random.nextInt(20);
        weights[u][v] = weights[v][u];
      }
    }
    int[][] loads = new int[quantities][];
    for (int c = 0; c < quantities; c++) {
      loads[c] = c == 0 ? new int[vertices] : random.ints(vertices, 0, 6).toArray();
    }
    Arrays.fill(loads[0], 1);
    return new RandomLevel(weights, loads, random.ints(vertices, 1, 4).toArray());
  }

  /// Vertices of load 1 with given edges.
  ///
  /// @param edges each of two vertices and a weight
  public static RandomLevel ofEdges(int vertices, int[]... edges) {
    long[][] weights = new long[vertices][vertices];
    for (int[] edge : edges) {
      weights[edge[0]][edge[1]] = edge[2];
      weights[edge[1]][edge[0]] = edge[2];
    }
    int[] ones = new int[vertices];
    Arrays.fill(ones, 1);
    return new RandomLevel(weights, new int[][] {ones}, ones);
  }

  /// The level.
  public LevelGraph graph() {
    return graph;
  }

  /// The weight of an edge; 0 if there is none.
  public long weight(int v, int u) {
    return weights[v][u];
  }

  /// The weight of the edges between parts.
  public long cut(int[] part) {
    long cut = 0;
    for (int v = 0; v < weights.length; v++) {
      for (int u = 0; u < v; u++) {
        cut += part[u] == part[v] ? 0 : weights[v][u];
      }
    }
    return cut;
  }

  /// The rows that are sent: each vertex's size times the other parts that have a neighbour of it.
  public long volume(int[] part) {
    long volume = 0;
    for (int v = 0; v < weights.length; v++) {
      int own = v;
      volume +=
          graph.size(v)
              * IntStream.range(0, weights.length)
                  .filter(u -> weights[own][u] > 0 && part[u] != part[own])
                  .map(u -> part[u])
                  .distinct()
                  .count();
    }
    return volume;
  }

  /// For each balanced quantity the load of each part.
  public long[][] loads(int[] part, int parts) {
    long[][] loads = new long[graph.constraints()][parts];
    for (int c = 0; c < loads.length; c++) {
      for (int v = 0; v < part.length; v++) {
        loads[c][part[v]] += graph.load(c, v);
      }
    }
    return loads;
  }

  /// Caps of equal parts, the same for all loads.
  public long[][] caps(int parts, double epsilon) {
    long[][] caps = new long[graph.constraints()][];
    Arrays.setAll(caps, c -> PartLoads.equalCaps(graph.totalLoad(c), parts, epsilon));
    return caps;
  }

  /// By how much all parts are above their caps, in caps.
  public double overload(int[] part, long[][] caps) {
    long[][] loads = loads(part, caps[0].length);
    double over = 0;
    for (int c = 0; c < caps.length; c++) {
      double average = Arrays.stream(caps[c]).map(cap -> Math.max(1, cap)).average().orElseThrow();
      for (int p = 0; p < caps[c].length; p++) {
        over += Math.max(0, loads[c][p] - caps[c][p]) / average;
      }
    }
    return over;
  }

  /// Parts in turn, in a random order.
  public int[] even(Random random, int parts) {
    int[] part = new int[weights.length];
    for (int v = 0; v < part.length; v++) {
      int other = random.nextInt(v + 1);
      part[v] = part[other];
      part[other] = v % parts;
    }
    return part;
  }

  @Override
  public void close() {
    graph.close();
  }
}
