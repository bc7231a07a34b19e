package dev.gossamer.pruned.pipeline;

/// Ranks as `data` replicas of a pipeline of `inter` stages: `G = G_inter x G_data` (SAMO, section
/// II-E). The stages of a replica are neighbours in rank order.
///
/// @param inter stages of a pipeline
/// @param data replicas, which share the batch
public record RankGrid(int inter, int data) {
  /// Checks the components.
  ///
  /// @throws IllegalArgumentException if there is no stage or no replica
  public RankGrid {
    if (inter < 1 || data < 1) {
      throw new IllegalArgumentException(
          "grid: expected at least 1 x 1, found %d x %d".formatted(inter, data));
    }
  }

  /// {@return the number of ranks of the grid}
  public int ranks() {
    return Math.multiplyExact(inter, data);
  }

  /// {@return the stage that a rank holds}
  ///
  /// @param rank of all ranks
  public int stage(int rank) {
    return rank % inter;
  }

  /// {@return the replica that a rank belongs to}
  ///
  /// @param rank of all ranks
  public int replica(int rank) {
    return rank / inter;
  }

  /// Returns the text form: `2x4`.
  @Override
  public String toString() {
    return inter + "x" + data;
  }
}
