package dev.gossamer.pruned.pipeline;

/// Ranks as `data` replicas of a pipeline of `inter` stages: `G = G_inter x G_data` (SAMO, section
/// II-E). The stages of a replica are neighbours in rank order.
///
/// @param inter stages of a pipeline
/// @param data replicas, which share the batch
public record Grid(int inter, int data) {
  public Grid {
    if (inter < 1 || data < 1) {
      throw new IllegalArgumentException(
          "grid: expected at least 1 x 1, found %d x %d".formatted(inter, data));
    }
  }

  public int ranks() {
    return Math.multiplyExact(inter, data);
  }

  public int stage(int rank) {
    return rank % inter;
  }

  public int replica(int rank) {
    return rank / inter;
  }

  /// As users write it: `2x4`.
  @Override
  public String toString() {
    return inter + "x" + data;
  }
}
