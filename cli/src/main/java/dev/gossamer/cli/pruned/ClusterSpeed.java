package dev.gossamer.cli.pruned;

import dev.gossamer.planner.LinkRates;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.planner.Rates;
import dev.gossamer.pruned.RankPlace;
import dev.gossamer.pruned.pipeline.RankSpeed;

/// The measured rates of cores and links for ranks of a pruned network on a cluster.
///
/// @param layout which ranks share a node
record ClusterSpeed(RankLayout layout) implements RankSpeed {
  /// Returns the place of the ranks for a plan.
  ///
  /// @param processes whether each rank is a process
  /// @param memory bytes of a rank
  static RankPlace place(RankLayout layout, boolean processes, long memory) {
    return new RankPlace(
        layout.ranks(),
        layout.nodes(),
        layout.ranksOfNode(),
        layout.threads(),
        processes,
        memory,
        new ClusterSpeed(layout));
  }

  private Rates rates() {
    return layout.cluster().rates();
  }

  @Override
  public double product(long rows, int in, int out) {
    return layout.slowest(rows, (n, _, threads) -> rates().matmul(n, in, out, threads));
  }

  @Override
  public double weightGradient(long rows, int in, int out) {
    return layout.slowest(rows, (n, _, threads) -> rates().weightGradient(n, in, out, threads));
  }

  @Override
  public double stream(double bytes) {
    return layout.slowest(
        Math.round(bytes), (b, _, threads) -> rates().stream((double) b, threads));
  }

  @Override
  public double messages(int from, int to, double count, double bytes) {
    LinkRates link =
        layout.imitated() != null
            ? layout.imitated()
            : layout.apart(from, to) ? layout.cluster().between() : layout.cluster().inside();
    return link.seconds(Math.round(count), bytes);
  }
}
