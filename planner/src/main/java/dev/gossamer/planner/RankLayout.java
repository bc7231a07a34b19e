package dev.gossamer.planner;

import dev.gossamer.run.RankLaunch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The nodes of ranks: consecutive ranks share a node, its cores and its memory.
///
/// A node with more ranks than [Cluster#ranksPerNode] shares its cores among all of them, as
/// threads of one process do.
///
/// @param cluster the machines
/// @param ranks that train
/// @param imitated a network that is imitated between ranks that are threads; null if there is none
public record RankLayout(Cluster cluster, int ranks, @Nullable LinkRates imitated) {
  /// The time of a computation of a rank.
  @FunctionalInterface
  public interface Kernel {
    /// {@return seconds}
    ///
    /// @param rows that are computed
    /// @param entries of the matrix, or another measure of work
    /// @param threads that share it
    double seconds(long rows, long entries, int threads);
  }

  /// Creates a layout with real links.
  ///
  /// @param cluster the machines
  /// @param ranks that train
  public RankLayout(Cluster cluster, int ranks) {
    this(cluster, ranks, null);
  }

  /// Returns the layout of ranks as they are launched.
  ///
  /// @param cluster the machines
  /// @param launch of the ranks, with the network that is imitated between threads
  /// @return the layout
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

  /// {@return seconds until the slowest rank is done} This is the larger of two times: that of a
  /// rank on its threads, and that of the ranks of a node, one after the other, on all its cores.
  /// The second counts if ranks share cores or memory bandwidth. The ranks' matrices are not
  /// treated as one large matrix, which would fit less well into caches.
  ///
  /// @param rows of each rank
  /// @param entries of each rank
  /// @param kernel what is computed
  public double slowest(long[] rows, long[] entries, Kernel kernel) {
    return slowest(threads(), rows, entries, kernel);
  }

  /// {@return the same with a maximum number of threads per rank}
  ///
  /// @param threads of each rank that are busy
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

  /// {@return the same if all ranks have the same number of rows}
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
