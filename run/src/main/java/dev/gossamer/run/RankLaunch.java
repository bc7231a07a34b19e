package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.Link;
import dev.gossamer.comm.RankBody;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.mpi.MpiRanks;
import dev.gossamer.comm.net.Gathering;
import dev.gossamer.comm.net.NetOptions;
import dev.gossamer.comm.net.NetRanks;
import dev.gossamer.comm.threads.ThreadOptions;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.run.memory.SystemCores;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The ranks of a run: threads, processes of an MPI launcher, or what another program has started.
public sealed interface RankLaunch {
  /// {@return the ranks: threads of this process or, under a launcher, the processes that it has
  /// started}
  ///
  /// @param ranks number of threads; 1 under a launcher, which sets their number
  /// @throws InvalidSettingException if there is no rank, or a launcher has started others
  static RankLaunch of(int ranks) {
    return of(ranks, ThreadOptions.DEFAULT, MpiOptions.DEFAULT);
  }

  /// {@return the ranks: threads of this process or, under a launcher and within [Connected#call],
  /// those that have been started}
  ///
  /// @param ranks number of threads; 1 under a launcher, which sets their number
  /// @param threads settings of ranks that are threads; the timeout is also that of processes
  /// @param mpi settings of MPI, used under a launcher
  /// @throws InvalidSettingException if there is no rank, a launcher has started others, or an
  ///   imitated network is asked for under a launcher
  static RankLaunch of(int ranks, ThreadOptions threads, MpiOptions mpi) {
    if (!Connected.STARTED.isBound()) {
      return of(LaunchEnvironment.detect(System.getenv()), ranks, threads, mpi);
    }
    Connected started = Connected.STARTED.get();
    requireNoOwn(started.ranks(), ranks, threads);
    return started.withTimeout(threads.timeout());
  }

  /// {@return the ranks in an environment}
  ///
  /// @param environment set by a launcher, if there is one
  /// @param ranks number of threads; 1 under a launcher
  /// @param threads settings of ranks that are threads; under a launcher only the timeout is used
  /// @param mpi settings of MPI, used under a launcher
  /// @throws InvalidSettingException if there is no rank, a launcher has started others, or an
  ///   imitated network is asked for under a launcher
  static RankLaunch of(
      LaunchEnvironment environment, int ranks, ThreadOptions threads, MpiOptions mpi) {
    InvalidSettingException.requireAtLeast("ranks", ranks, 1);
    if (!environment.isParallel()) {
      return new Threads(ranks, threads);
    }
    requireNoOwn(environment.size(), ranks, threads);
    return new Processes(environment, mpi.withTimeout(threads.timeout()));
  }

  private static void requireNoOwn(int started, int ranks, ThreadOptions threads) {
    if (ranks != 1) {
      throw new InvalidSettingException(
          "{ranks}: expected none under a launcher that has started %d processes, found %d"
              .formatted(started, ranks));
    }
    if (threads.link() != null) {
      throw new InvalidSettingException(
          "{link}: expected none under a launcher, whose processes have a real network, found "
              + threads.link());
    }
  }

  /// Threads of this process.
  ///
  /// @param ranks at least 1
  /// @param options timeout, and the network to imitate between ranks
  record Threads(int ranks, ThreadOptions options) implements RankLaunch {
    /// Checks the components.
    ///
    /// @throws InvalidSettingException if there is no rank
    public Threads {
      InvalidSettingException.requireAtLeast("ranks", ranks, 1);
    }

    @Override
    public int processesHere() {
      return 1;
    }

    @Override
    public int ranksOfProcess() {
      return ranks;
    }

    @Override
    public boolean isFirstProcess() {
      return true;
    }

    @Override
    public @Nullable Link link() {
      return options.link();
    }
  }

  /// The processes that a launcher such as `mpirun` has started, including this one.
  ///
  /// @param environment set by the launcher
  /// @param options of MPI
  record Processes(LaunchEnvironment environment, MpiOptions options) implements RankLaunch {
    @Override
    public int ranks() {
      return environment.size();
    }

    @Override
    public int processesHere() {
      return environment.here();
    }

    @Override
    public int ranksOfProcess() {
      return 1;
    }

    @Override
    public boolean isFirstProcess() {
      return environment.rank() == 0;
    }

    @Override
    public @Nullable Link link() {
      return null;
    }

    /// With more ranks than cores, a rank that waits inside MPI would occupy the core that the
    /// other rank needs; then only one thread at a time calls the library.
    private MpiOptions suited() {
      boolean crowded = environment.here() > SystemCores.online();
      return options.withOneThreadAtATime(options.oneThreadAtATime() || crowded);
    }
  }

  /// One of several ranks that another program has started, in this process or in others, such as
  /// the tasks of a barrier stage of Spark. They are connected by sockets.
  ///
  /// @param rank of the caller, `0..ranks-1`
  /// @param ranks of the run
  /// @param processesHere ranks of the run on this machine, which share its cores and memory
  /// @param gathering by which the ranks tell each other their addresses; once for each training,
  ///   prediction or evaluation
  /// @param options for the connections
  record Connected(int rank, int ranks, int processesHere, Gathering gathering, NetOptions options)
      implements RankLaunch {
    private static final ScopedValue<Connected> STARTED = ScopedValue.newInstance();

    /// Checks the components.
    ///
    /// @throws InvalidSettingException if there is no rank
    /// @throws IllegalArgumentException if the rank is none of them
    public Connected {
      InvalidSettingException.requireAtLeast("ranks", ranks, 1);
      if (rank < 0 || rank >= ranks || processesHere < 1) {
        throw new IllegalArgumentException(
            "ranks: expected a rank in 0..%d and at least 1 on its machine, found rank %d and %d"
                .formatted(ranks - 1, rank, processesHere));
      }
    }

    /// Does something as this rank: trainings, predictions and evaluations of the calling thread
    /// are those of all ranks together. Collective.
    ///
    /// @param <T> type of the result
    /// @param <X> type of what may be thrown
    /// @param task that all ranks do in the same way
    /// @return its result
    /// @throws X what the task throws
    public <T, X extends Throwable> T call(ScopedValue.CallableOp<T, X> task) throws X {
      return ScopedValue.where(STARTED, this).call(task);
    }

    private Connected withTimeout(Duration timeout) {
      return new Connected(rank, ranks, processesHere, gathering, options.withTimeout(timeout));
    }

    @Override
    public int ranksOfProcess() {
      return 1;
    }

    @Override
    public boolean isFirstProcess() {
      return rank == 0;
    }

    @Override
    public @Nullable Link link() {
      return null;
    }
  }

  /// {@return whether the caller has been started as one of several ranks}
  default boolean underLauncher() {
    return !(this instanceof Threads);
  }

  /// {@return number of ranks of the run}
  int ranks();

  /// {@return processes of the run on this machine, which share its cores and memory}
  int processesHere();

  /// {@return number of ranks of this process}
  int ranksOfProcess();

  /// {@return whether this process has the first rank, which writes}
  boolean isFirstProcess();

  /// {@return the imitated network between ranks, or null}
  @Nullable Link link();

  /// Runs the body on every rank of this process.
  ///
  /// @param body what a rank does
  /// @throws InvalidInputException if the input is bad, whichever rank has found it
  /// @throws TrainingFailedException if a training failed, which is no rank's own failure
  /// @throws RankFailedException if a rank failed in another way, with its exception as the cause
  default void run(RankBody body) {
    try {
      switch (this) {
        case Threads(int ranks, ThreadOptions options) -> ThreadRanks.run(ranks, options, body);
        case Processes processes -> MpiRanks.run(processes.environment, processes.suited(), body);
        case Connected(int rank, int ranks, _, Gathering gathering, NetOptions options) ->
            NetRanks.run(rank, ranks, gathering, options, body);
      }
    } catch (RankFailedException e) {
      throw switch (e.getCause()) {
        case InvalidInputException input -> input;
        case TrainingFailedException training -> training;
        case null, default -> e;
      };
    }
  }
}
