package dev.gossamer.run;

import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.threads.ThreadOptions;

/// The number of ranks of a run, and how they are connected. A value; [#launch] combines it with
/// the launcher that has started this process.
///
/// @param count ranks that are threads of this process; 1 under a launcher, which sets their number
/// @param threads settings of ranks that are threads; the timeout is also that of processes
/// @param mpi settings of MPI, used under a launcher
public record LaunchSettings(int count, ThreadOptions threads, MpiOptions mpi) {
  /// One rank.
  public static final LaunchSettings DEFAULT = of(1);

  /// Checks the components.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if there is no rank, or more than one is
  ///   asked for under a launcher
  public LaunchSettings {
    RankLaunch.of(count, threads, mpi);
  }

  /// {@return ranks that are threads, without a network between them}
  ///
  /// @param ranks at least 1
  public static LaunchSettings of(int ranks) {
    return new LaunchSettings(ranks, ThreadOptions.DEFAULT, MpiOptions.DEFAULT);
  }

  /// {@return a copy with another number of ranks}
  ///
  /// @param ranks at least 1
  public LaunchSettings withCount(int ranks) {
    return new LaunchSettings(ranks, threads, mpi);
  }

  /// {@return the ranks as this process was started}
  public RankLaunch launch() {
    return RankLaunch.of(count, threads, mpi);
  }
}
