package dev.gossamer.planner;

import dev.gossamer.run.RankLaunch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Where ranks are: consecutive ones share a node, its cores and its memory.
///
/// A node that has more ranks than it is meant for shares its cores among all of them, as threads
/// of one process do.
///
/// @param cluster the machines
/// @param ranks that train
/// @param imitated a network that is imitated between ranks that are threads; null if there is none
public record RankLayout(Cluster cluster, int ranks, @Nullable LinkRates imitated) {
  /// What a computation of a rank takes.
  @FunctionalInterface
  public interface Kernel {
    /// {@return seconds}
    ///
    /// @param rows that are computed
    /// @param entries of the matrix, or whatever else there is to be counted
    /// @param threads that share it
    double seconds(long rows, long entries, int threads);
  }

  /// Ranks over real links.
  ///
  /// @param cluster the machines
  /// @param ranks that train
  public RankLayout(Cluster cluster, int ranks) {
    this(cluster, ranks, null);
  }

  /// Ranks as they are launched.
  ///
  /// @param cluster the machines
  /// @param launch of the ranks, with the network that is imitated between threads
  /// @return where they are
  public static RankLayout of(Cluster cluster, RankLaunch launch) {
    dev.gossamer.comm.Link link = launch.link();
    return new RankLayout(
        cluster,
        launch.ranks(),
        link == null ? null : new LinkRates(link.alphaSeconds(), 1 / link.betaSecondsPerByte()));
  }

  /// {@return ranks of a full node}
  public int ranksOfNode() {
    int even = Math.ceilDiv(ranks, cluster.nodes());
    return Math.min(ranks, Math.max(even, cluster.ranksPerNode()));
  }

  /// {@return nodes that have ranks}
  public int nodes() {
    return Math.ceilDiv(ranks, ranksOfNode());
  }

  /// {@return threads of each rank}
  public int threads() {
    return Math.max(1, cluster.coresPerNode() / ranksOfNode());
  }

  /// {@return whether a message between two ranks leaves a node}
  ///
  /// @param rank one of them
  /// @param other one of them
  public boolean apart(int rank, int other) {
    return rank / ranksOfNode() != other / ranksOfNode();
  }

  /// {@return seconds until the slowest rank is done} A rank is never faster than its threads, nor
  /// a node than all of its cores with the work of all of its ranks, one after the other: the
  /// second is what counts if ranks share cores, or the bandwidth of their memory. The work of
  /// several ranks is not that of one whose matrix is as large as all of theirs, which would fit
  /// into caches less.
  ///
  /// @param rows of each rank
  /// @param entries of each rank
  /// @param kernel what is computed
  public double slowest(long[] rows, long[] entries, Kernel kernel) {
    return slowest(threads(), rows, entries, kernel);
  }

  /// {@return the same of what no more threads of a rank share}
  ///
  /// @param threads of each rank that are at work
  /// @param rows of each rank
  /// @param entries of each rank
  /// @param kernel what is computed
  public double slowest(int threads, long[] rows, long[] entries, Kernel kernel) {
    int width = ranksOfNode();
    int all = Math.min(cluster.coresPerNode(), width * threads);
    double slowest = 0;
    for (int first = 0; first < ranks; first += width) {
      double together = 0;
      long most = -1;
      int fullest = first;
      for (int r = first; r < Math.min(ranks, first + width); r++) {
        double ofRank = width == 1 ? 0 : seconds(kernel, rows[r], entries[r], all);
        // Ranks begin together.
        boolean another = together > 0 && ofRank > 0;
        together += another ? ofRank - cluster.rates().start(all) : ofRank;
        if (rows[r] + entries[r] > most) {
          most = rows[r] + entries[r];
          fullest = r;
        }
      }
      double alone = seconds(kernel, rows[fullest], entries[fullest], threads);
      slowest = Math.max(slowest, Math.max(alone, together));
    }
    return slowest;
  }

  /// {@return the same where all ranks have as many rows}
  ///
  /// @param rows of each rank
  /// @param kernel what is computed
  public double slowest(long rows, Kernel kernel) {
    long[] all = new long[ranks];
    Arrays.fill(all, rows);
    return slowest(all, new long[ranks], kernel);
  }

  private static double seconds(Kernel kernel, long rows, long entries, int threads) {
    return rows == 0 && entries == 0 ? 0 : kernel.seconds(rows, entries, threads);
  }
}
