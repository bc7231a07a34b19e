package dev.gossamer;

import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.RankBody;
import dev.gossamer.comm.ThreadOptions;
import dev.gossamer.comm.ThreadRanks;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.mpi.MpiRanks;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.run.memory.SystemCores;
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
  // Before the default, which looks at it.
  private static final LaunchEnvironment ENVIRONMENT = LaunchEnvironment.detect(System.getenv());

  /// The partitioner that makes total and largest send volume small.
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
    InvalidSettingException.requireAtLeast("ranks", count, 1);
    if (ENVIRONMENT.isParallel() && count != 1) {
      throw new InvalidSettingException(
          "{ranks}: expected none under a launcher that has started %d processes, found %d"
              .formatted(ENVIRONMENT.size(), count));
    }
    int size = ENVIRONMENT.isParallel() ? ENVIRONMENT.size() : count;
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

  /// Whether a launcher started this process as one of several ranks.
  boolean underLauncher() {
    return ENVIRONMENT.isParallel();
  }

  /// Ranks of the run, wherever they run.
  int size() {
    return underLauncher() ? ENVIRONMENT.size() : count;
  }

  /// Ranks that this process runs.
  int ranksHere() {
    return underLauncher() ? 1 : count;
  }

  /// Processes of the run on this machine.
  int processesHere() {
    return ENVIRONMENT.here();
  }

  /// Whether this process runs rank 0, which decides, prints and writes.
  boolean isFirstProcess() {
    return !underLauncher() || ENVIRONMENT.rank() == 0;
  }

  /// Blocks of vertices.
  int blocks() {
    return size() / strategy.replication();
  }

  /// Runs the body on every rank of this process.
  void run(RankBody body) {
    if (!underLauncher()) {
      ThreadRanks.run(count, threads, body);
      return;
    }
    // More ranks than cores, and a rank that waits inside a call of MPI keeps the core that the one
    // it waits for needs.
    boolean crowded = ENVIRONMENT.here() > SystemCores.online();
    MpiOptions options = mpi.withTimeout(threads.timeout()).withOneThreadAtATime(crowded);
    MpiRanks.run(ENVIRONMENT, options, body);
  }
}
