package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.threads.ThreadOptions;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.run.RankLaunch;
import org.jspecify.annotations.Nullable;

/// How many ranks work together, where they are and what travels between them. Start with
/// [#DEFAULT] and change what differs.
///
/// Under a launcher such as `mpirun` the ranks are the processes that it has started, and their
/// number is the launcher's; otherwise they are threads of this process.
///
/// @param count ranks that are threads; 1 under a launcher
/// @param strategy which rows travel, and how
/// @param placement which rank has which vertex: a partitioner's name, `block`, `random` or a part
///   file; null for the usual
/// @param threads how ranks that are threads behave
/// @param mpi how MPI is used under a launcher
public record RankSettings(
    int count,
    ExchangeStrategy strategy,
    @Nullable String placement,
    ThreadOptions threads,
    MpiOptions mpi) {
  /// The partitioner that makes small the total and the most that a rank sends or receives.
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
  /// @throws InvalidSettingException if there is no rank, a launcher has started ranks and more are
  ///   asked for, or the replication and its square do not divide the ranks
  public RankSettings {
    int size = RankLaunch.of(count, threads, mpi).ranks();
    if (!strategy.validFor(size)) {
      throw new InvalidSettingException(
          "{replication}: expected C with C and C*C dividing %d ranks, found %d"
              .formatted(size, strategy.replication()));
    }
  }

  /// The same with another number of ranks that are threads.
  ///
  /// @param ranks at least 1
  /// @return the changed copy
  public RankSettings withCount(int ranks) {
    return new RankSettings(ranks, strategy, placement, threads, mpi);
  }

  /// The same with another strategy.
  ///
  /// @param other which rows travel, and how
  /// @return the changed copy
  public RankSettings withStrategy(ExchangeStrategy other) {
    return new RankSettings(count, other, placement, threads, mpi);
  }

  /// The same with another placement.
  ///
  /// @param where a partitioner's name, `block`, `random` or a part file
  /// @return the changed copy
  public RankSettings withPlacement(String where) {
    return new RankSettings(count, strategy, where, threads, mpi);
  }

  /// The same with vertices where they usually are.
  ///
  /// @return the changed copy
  public RankSettings withUsualPlacement() {
    return new RankSettings(count, strategy, null, threads, mpi);
  }

  /// The ranks themselves.
  RankLaunch launch() {
    return RankLaunch.of(count, threads, mpi);
  }

  /// Ranks of the run, wherever they run.
  int size() {
    return launch().ranks();
  }

  /// Blocks of vertices.
  int blocks() {
    return size() / strategy.replication();
  }
}
