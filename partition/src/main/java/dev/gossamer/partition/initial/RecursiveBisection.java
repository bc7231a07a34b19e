package dev.gossamer.partition.initial;

import dev.gossamer.base.Workers;
import dev.gossamer.partition.level.LevelGraph;
import java.util.Arrays;

/// Divides a graph into `k` parts by recursive bisection.
///
/// The epsilon of each bisection is chosen so that final parts keep their caps even if every
/// bisection uses its full epsilon: `(1 + epsilon') ^ depth = cap k / total` (Schlag et al. 2016).
public final class RecursiveBisection {
  private final long[] caps;
  private final long seed;
  private final Workers workers;

  /// Creates a bisection under the caps of parts.
  ///
  /// @param caps maximum of each load of a part
  /// @param seed of all draws
  /// @param workers threads to use
  public RecursiveBisection(long[] caps, long seed, Workers workers) {
    this.caps = caps;
    this.seed = seed;
    this.workers = workers;
  }

  /// {@return the part of each vertex, `0..parts-1`}
  ///
  /// @param graph the level
  /// @param parts number of parts
  public int[] of(LevelGraph graph, int parts) {
    int[] part = new int[graph.vertices()];
    int[] all = new int[graph.vertices()];
    Arrays.setAll(all, v -> v);
    split(graph, all, parts, 0, part);
    return part;
  }

  private void split(LevelGraph graph, int[] names, int parts, int first, int[] part) {
    if (parts == 1) {
      for (int name : names) {
        part[name] = first;
      }
      return;
    }
    int parts0 = (parts + 1) / 2;
    double share = (double) parts0 / parts;
    long[][] sideCaps = sideCaps(graph, parts, parts0);
    int[] side = new Bisection(sideCaps, share, seed + first * 31L + parts, workers).best(graph);
    for (int s = 0; s < 2; s++) {
      int sideParts = s == 0 ? parts0 : parts - parts0;
      int sideFirst = s == 0 ? first : first + parts0;
      if (sideParts == 1) {
        for (int v = 0; v < side.length; v++) {
          part[names[v]] = side[v] == s ? sideFirst : part[names[v]];
        }
        continue;
      }
      Subgraph sub = Subgraph.of(graph, side, s, names);
      try (LevelGraph subgraph = sub.graph()) {
        split(subgraph, sub.names().array(), sideParts, sideFirst, part);
      }
    }
  }

  private long[][] sideCaps(LevelGraph graph, int parts, int parts0) {
    int depth = Integer.SIZE - Integer.numberOfLeadingZeros(parts - 1);
    long[][] side = new long[caps.length][2];
    for (int c = 0; c < caps.length; c++) {
      double total = (double) graph.totalLoad(c);
      double slack = total == 0 ? 1 : Math.pow((double) caps[c] * parts / total, 1.0 / depth);
      double factor = Math.max(1.002, slack);
      side[c][0] = (long) Math.ceil(Math.min(1e18, factor * total * parts0 / parts));
      side[c][1] = (long) Math.ceil(Math.min(1e18, factor * total * (parts - parts0) / parts));
    }
    return side;
  }
}
