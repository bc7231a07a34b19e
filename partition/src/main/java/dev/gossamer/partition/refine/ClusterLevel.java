package dev.gossamer.partition.refine;

import java.util.Arrays;

/// The cluster of each input vertex at one level of coarsening. Wraps an array.
public final class ClusterLevel {
  private final int[] cluster;
  private final int count;

  /// Creates clusters of the input.
  ///
  /// @param cluster of each vertex, `0..count-1`; borrowed
  /// @param count number of clusters
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

  /// {@return the number of clusters}
  public int count() {
    return count;
  }

  /// To be read only.
  int[] cluster() {
    return cluster;
  }
}
