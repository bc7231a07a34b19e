package dev.gossamer.run;

import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.threads.ThreadOptions;

/// How many ranks a run has, and how they are connected. A value: where ranks are follows from it
/// and from the launcher that has started this process ([#launch]).
///
/// @param count ranks that are threads of this process; 1 under a launcher, which has said it
///   already
/// @param threads how ranks that are threads behave; their timeout is that of processes too
/// @param mpi how MPI is used under a launcher
public record LaunchSettings(int count, ThreadOptions threads, MpiOptions mpi) {
  /// One rank.
  public static final LaunchSettings DEFAULT = of(1);

  /// Checks the components.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if there is no rank, or a launcher has
  ///   started ranks and more are asked for
  public LaunchSettings {
    RankLaunch.of(count, threads, mpi);
  }

  /// {@return ranks that are threads, without a network between them}
  ///
  /// @param ranks at least 1
  public static LaunchSettings of(int ranks) {
    return new LaunchSettings(ranks, ThreadOptions.DEFAULT, MpiOptions.DEFAULT);
  }

  /// {@return the same with another number of ranks}
  ///
  /// @param ranks at least 1
  public LaunchSettings withCount(int ranks) {
    return new LaunchSettings(ranks, threads, mpi);
  }

  /// {@return the ranks where this process was started}
  public RankLaunch launch() {
    return RankLaunch.of(count, threads, mpi);
  }
}
