package dev.gossamer.nn.layers;

/// Adds up numbers over the ranks that compute one pass together, each some of its rows.
@FunctionalInterface
public interface RankSums {
  /// For a pass that a rank computes alone.
  RankSums ALONE = mine -> mine;

  /// Adds up numbers. Collective.
  ///
  /// @param mine this rank's
  /// @return the sums, on every rank
  double[] total(double... mine);
}
