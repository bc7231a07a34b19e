package dev.gossamer;

import dev.gossamer.comm.ThreadOptions;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.run.RankLaunch;
import org.jspecify.annotations.Nullable;

/// How many ranks work together, which vertices they own and how they exchange rows. Start with
/// [#DEFAULT] and change what differs.
///
/// Under a launcher such as `mpirun` the ranks are the processes that it has started; otherwise
/// they are threads of this process.
///
/// @param count ranks that are threads; 1 under a launcher
/// @param strategy which rows are exchanged, and how
/// @param placement which rank has which vertex: a partitioner's name, `block`, `random` or a part
///   file; null for the usual
/// @param threads settings of ranks that are threads
/// @param mpi settings of MPI, used under a launcher
public record RankSettings(
    int count,
    ExchangeStrategy strategy,
    @Nullable String placement,
    ThreadOptions threads,
    MpiOptions mpi) {
  /// The partitioner that minimises the total volume and the largest volume that a rank sends or
  /// receives.
  public static final String USUAL_PLACEMENT = "gvb";

  /// One rank.
  public static final RankSettings DEFAULT =
      new RankSettings(
          1,
          new ExchangeStrategy(ExchangeStrategy.Kind.SPARSITY_AWARE, 1, true),
          null,
          ThreadOptions.DEFAULT,
          MpiOptions.DEFAULT);

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if there is no rank, more than one is asked for under a
  ///   launcher, or the replication and its square do not divide the number of ranks
  public RankSettings {
    int size = RankLaunch.of(count, threads, mpi).ranks();
    if (!strategy.validFor(size)) {
      throw new InvalidSettingException(
          "{replication}: expected C with C and C*C dividing %d ranks, found %d"
              .formatted(size, strategy.replication()));
    }
  }

  /// Returns a copy with another number of ranks that are threads.
  ///
  /// @param ranks at least 1
  /// @return the changed copy
  public RankSettings withCount(int ranks) {
    return new RankSettings(ranks, strategy, placement, threads, mpi);
  }

  /// Returns a copy with another strategy.
  ///
  /// @param other which rows are exchanged, and how
  /// @return the changed copy
  public RankSettings withStrategy(ExchangeStrategy other) {
    return new RankSettings(count, other, placement, threads, mpi);
  }

  /// Returns a copy with another placement.
  ///
  /// @param where a partitioner's name, `block`, `random` or a part file
  /// @return the changed copy
  public RankSettings withPlacement(String where) {
    return new RankSettings(count, strategy, where, threads, mpi);
  }

  /// Returns a copy with the usual placement.
  ///
  /// @return the changed copy
  public RankSettings withUsualPlacement() {
    return new RankSettings(count, strategy, null, threads, mpi);
  }

  /// The ranks themselves.
  RankLaunch launch() {
    return RankLaunch.of(count, threads, mpi);
  }

  /// Returns the number of ranks of the run.
  int size() {
    return launch().ranks();
  }

  /// Blocks of vertices.
  int blocks() {
    return size() / strategy.replication();
  }
}
