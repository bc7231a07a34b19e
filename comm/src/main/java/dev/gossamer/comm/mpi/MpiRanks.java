package dev.gossamer.comm.mpi;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.RankBody;

/// Runs this process as one of the ranks that an MPI launcher started.
public final class MpiRanks {
  private MpiRanks() {}

  /// Starts MPI, runs `body` in the calling thread and ends MPI. May be called once per process.
  ///
  /// If `body` throws, or an operation fails, this method does not return: the process writes one
  /// line with its rank and the cause to standard error and ends the ranks of all processes, with
  /// exit status 2 for bad input, 3 for a training that has failed as such, and 1 for everything
  /// else.
  ///
  /// @param environment of the launcher, which MPI must match
  /// @param options for MPI
  /// @param body the code that the rank runs
  /// @throws InvalidInputException if no MPI library is found, or the library does not see the
  ///   other processes that the launcher started
  public static void run(LaunchEnvironment environment, MpiOptions options, RankBody body) {
    MpiSession session = MpiSession.start(environment, options);
    try {
      body.run(session.world());
    } catch (Throwable e) {
      session.abort(e);
    }
    session.close();
  }

  /// Runs with [MpiOptions#DEFAULT] and this process's environment.
  ///
  /// @param body the code that the rank runs
  public static void run(RankBody body) {
    run(LaunchEnvironment.detect(System.getenv()), MpiOptions.DEFAULT, body);
  }
}
