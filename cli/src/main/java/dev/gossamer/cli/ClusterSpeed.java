package dev.gossamer.cli;

import dev.gossamer.planner.Link;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.planner.Rates;
import dev.gossamer.pruned.RankPlace;
import dev.gossamer.pruned.pipeline.RankSpeed;

/// Ranks of a pruned network on the machines of a cluster: what their cores and links do, measured.
///
/// @param layout which ranks share a node
record ClusterSpeed(RankLayout layout) implements RankSpeed {
  /// What some work takes.
  @FunctionalInterface
  private interface Kernel {
    double seconds(double units, int threads);
  }

  /// The ranks in the words of a plan.
  ///
  /// @param processes whether each rank is one
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

  /// A rank is never faster than its threads, and a node never than all of its cores with the work
  /// of all of its ranks.
  private double slowest(double units, Kernel kernel) {
    int ranks = layout.ranksOfNode();
    double alone = kernel.seconds(units, layout.threads());
    int cores = Math.min(layout.cluster().coresPerNode(), ranks * layout.threads());
    return ranks == 1 ? alone : Math.max(alone, kernel.seconds(units * ranks, cores));
  }

  @Override
  public double product(long rows, int in, int out) {
    return slowest((double) rows, (n, threads) -> rates().matmul(Math.round(n), in, out, threads));
  }

  @Override
  public double weightGradient(long rows, int in, int out) {
    return slowest(
        (double) rows, (n, threads) -> rates().weightGradient(Math.round(n), in, out, threads));
  }

  @Override
  public double stream(double bytes) {
    return slowest(bytes, (b, threads) -> rates().stream(b, threads));
  }

  @Override
  public double messages(int from, int to, double count, double bytes) {
    Link link =
        layout.imitated() != null
            ? layout.imitated()
            : layout.apart(from, to) ? layout.cluster().between() : layout.cluster().inside();
    return link.seconds(Math.round(count), bytes);
  }
}
