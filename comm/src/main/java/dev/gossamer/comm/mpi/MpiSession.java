package dev.gossamer.comm.mpi;

import dev.gossamer.base.Excerpt;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.Traffic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The use of MPI in this process, from start to end.
final class MpiSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MpiSession.class);
  private static final int THREAD_SERIALIZED = 2;
  private static final int THREAD_MULTIPLE = 3;
  private static final long FORWARDING_NANOS = 250_000_000;
  static final int STATUS_FAILED = 1;
  private static final int STATUS_BAD_INPUT = 2;
  private static final int STATUS_DIVERGED = 3;

  private final MpiCalls calls;
  private final RequestBlocks blocks;
  private final ProgressThread progress = new ProgressThread(this);
  private final boolean oneThreadAtATime;
  private final long messageLimit;
  private final MpiCommunicator world;
  private final Watchdog watchdog;

  private MpiSession(MpiLibrary library, boolean oneThreadAtATime, MpiOptions options) {
    this.oneThreadAtATime = oneThreadAtATime;
    messageLimit = options.messageLimitBytes();
    calls = new MpiCalls(library, oneThreadAtATime);
    blocks = new RequestBlocks(library.flavour());
    long comm = library.flavour().commWorld();
    calls.commSetErrhandler(comm, library.flavour().errorsReturn());
    int rank = calls.commRank(comm);
    calls.setRank(rank);
    int size = calls.commSize(comm);
    int[] all = new int[size];
    for (int peer = 0; peer < size; peer++) {
      all[peer] = peer;
    }
    world = new MpiCommunicator(this, comm, rank, all, new Traffic(size));
    watchdog = world.watchdog(options.timeout().toNanos());
    watchdog.start();
  }

  /// Starts MPI.
  ///
  /// @throws InvalidInputException if there is no library or it sees other ranks than the launcher
  static MpiSession start(LaunchEnvironment environment, MpiOptions options) {
    return start(MpiLibrary.load(options.library(), environment), environment, options);
  }

  /// As the other one, with a library that is loaded.
  static MpiSession start(MpiLibrary library, LaunchEnvironment environment, MpiOptions options) {
    StartWatch watch = new StartWatch(environment);
    watch.start();
    int granted;
    try {
      granted = initialise(library, options.oneThreadAtATime());
    } finally {
      watch.end();
    }
    boolean oneAtATime = granted < THREAD_MULTIPLE;
    MpiSession session = new MpiSession(library, oneAtATime, options);
    int size = session.world.size();
    if (environment.isParallel() && environment.size() != size) {
      session.close();
      throw new InvalidInputException(
          "MPI: %s promised %d ranks, but the library %s sees %d; name the library of the MPI whose mpirun you use, or start with srun --mpi=pmix"
              .formatted(environment.variable(), environment.size(), library.name(), size));
    }
    if (LOG.isDebugEnabled()) {
      LOG.debug(
          "{} from {}, {} ranks, {}",
          library.flavour().name(),
          library.name(),
          size,
          oneAtATime ? "one thread at a time" : "any number of threads");
    }
    return session;
  }

  private static int initialise(MpiLibrary library, boolean oneThreadAtATime) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment provided = arena.allocate(ValueLayout.JAVA_INT);
      new MpiCalls(library, false)
          .initThread(
              MemorySegment.NULL,
              MemorySegment.NULL,
              oneThreadAtATime ? THREAD_SERIALIZED : THREAD_MULTIPLE,
              provided);
      int granted = provided.get(ValueLayout.JAVA_INT, 0);
      return oneThreadAtATime ? Math.min(granted, THREAD_SERIALIZED) : granted;
    }
  }

  /// All ranks.
  Communicator world() {
    return world;
  }

  MpiCalls calls() {
    return calls;
  }

  RequestBlocks blocks() {
    return blocks;
  }

  ProgressThread progress() {
    return progress;
  }

  Watchdog watchdog() {
    return watchdog;
  }

  boolean oneThreadAtATime() {
    return oneThreadAtATime;
  }

  /// Longest message in bytes.
  long messageLimit() {
    return messageLimit;
  }

  /// Writes one line with a rank and why it fails.
  static void writeFailure(int rank, int size, @Nullable String cause) {
    // In one write: the process may not live for a second one.
    byte[] line =
        "rank %d of %d failed: %s%n"
            .formatted(rank, size, Excerpt.of(String.valueOf(cause)))
            .getBytes(StandardCharsets.UTF_8);
    System.err.write(line, 0, line.length);
    System.err.flush();
  }

  /// Writes one line with this rank and the cause, and ends all processes. Does not return.
  void abort(Throwable cause) {
    abort(world.rank(), cause);
  }

  /// As [#abort(Throwable)] on behalf of another rank.
  void abort(int rank, Throwable cause) {
    int status =
        switch (cause) {
          case InvalidInputException e -> STATUS_BAD_INPUT;
          case TrainingFailedException e -> STATUS_DIVERGED;
          default -> STATUS_FAILED;
        };
    writeFailure(
        rank, world.size(), status == STATUS_FAILED ? cause.toString() : cause.getMessage());
    // The launcher reads what ranks write and what they command on different channels, and drops
    // the first when it obeys the second.
    long end = System.nanoTime() + FORWARDING_NANOS;
    while (end - System.nanoTime() > 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
    LOG.debug("the failure of rank {}", rank, cause);
    try {
      calls.abort(calls.flavour().commWorld(), status);
    } finally {
      Runtime.getRuntime().halt(status);
    }
  }

  /// Ends MPI; waits for the other ranks to do the same.
  @Override
  public void close() {
    // The library's own wait for the others has no end.
    world.barrier();
    progress.end();
    watchdog.end();
    world.release();
    calls.finish();
  }
}
