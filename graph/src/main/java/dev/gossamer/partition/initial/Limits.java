package dev.gossamer.partition.initial;

import dev.gossamer.partition.level.LevelGraph;

/// How heavy clusters may become.
public final class Limits {
  private Limits() {}

  /// The most load `c` of a cluster that is to hold about `vertices` average vertices of this level.
  public static long growth(LevelGraph graph, int c, double vertices) {
    double average = (double) graph.totalLoad(c) / Math.max(1, graph.vertices());
    return Math.max(1, (long) Math.ceil(average * vertices));
  }
}
