package dev.gossamer.partition.refine;

import java.util.Arrays;

/// A cluster for each vertex of the input, as one level of coarsening made them. Wraps an array.
public final class ClusterLevel {
  private final int[] cluster;
  private final int count;

  /// Clusters of the input.
  ///
  /// @param cluster of each vertex, `0..count-1`; borrowed
  /// @param count of clusters
  public ClusterLevel(int[] cluster, int count) {
    this.cluster = cluster;
    this.count = count;
  }

  /// Each vertex on its own.
  static ClusterLevel ofVertices(int vertices) {
    int[] own = new int[vertices];
    Arrays.setAll(own, v -> v);
    return new ClusterLevel(own, vertices);
  }

  /// {@return number of clusters}
  public int count() {
    return count;
  }

  /// To be read only.
  int[] cluster() {
    return cluster;
  }
}
