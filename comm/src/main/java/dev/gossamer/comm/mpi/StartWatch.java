package dev.gossamer.comm.mpi;

import dev.gossamer.comm.LaunchEnvironment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A thread that ends this process if MPI does not start.
///
/// MPI starts when the last rank has come. A rank that ends before is not always noticed by its
/// launcher (MPICH's waits for it), and no deadline can be given to the call in which the others
/// wait. So while they do, each looks after the processes that the launcher has started beside it
/// on this machine; ranks elsewhere have only the timeout.
final class StartWatch {
  private static final long PERIOD_NANOS = 250_000_000;

  /// How long a process is missed before its launcher is taken not to notice it.
  private static final long GRACE_NANOS = 2_000_000_000;

  /// Programs do not start at the same moment, however short an operation may be.
  private static final Duration LEAST_TIMEOUT = Duration.ofMinutes(1);

  private static final int STATUS_FAILED = 1;

  private final LaunchEnvironment environment;
  private final Duration timeout;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("mpi-start").unstarted(this::serve);
  private volatile boolean ended;

  StartWatch(LaunchEnvironment environment, Duration timeout) {
    this.environment = environment;
    this.timeout = timeout.compareTo(LEAST_TIMEOUT) < 0 ? LEAST_TIMEOUT : timeout;
  }

  void start() {
    thread.start();
  }

  private void serve() {
    long begin = System.nanoTime();
    long complete = begin;
    boolean seenAll = false;
    while (!ended) {
      LockSupport.parkNanos(this, PERIOD_NANOS);
      long now = System.nanoTime();
      // Where a launcher starts ranks in another way, not all are siblings, and none is missed.
      boolean all = siblings() >= environment.here();
      seenAll |= all;
      complete = all ? now : complete;
      if (!ended) {
        String cause = cause(seenAll ? now - complete : 0, now - begin);
        if (cause != null) {
          fail(cause);
        }
      }
    }
  }

  private @Nullable String cause(long missedNanos, long waitedNanos) {
    if (missedNanos > GRACE_NANOS) {
      return "another of the %d processes of this machine has ended before MPI started"
          .formatted(environment.here());
    }
    return waitedNanos > timeout.toNanos()
        ? String.format(
            Locale.ROOT,
            "waited more than %.1f s for the other ranks to start MPI",
            timeout.toNanos() * 1e-9)
        : null;
  }

  /// Processes that the launcher has started here and that have not ended, this one among them.
  private static long siblings() {
    return ProcessHandle.current()
        .parent()
        .map(launcher -> launcher.children().filter(ProcessHandle::isAlive).count())
        .orElse(0L);
  }

  private void fail(String cause) {
    byte[] line =
        "rank %d of %d failed: %s%n"
            .formatted(environment.rank(), environment.size(), cause)
            .getBytes(StandardCharsets.UTF_8);
    System.err.write(line, 0, line.length);
    System.err.flush();
    Runtime.getRuntime().halt(STATUS_FAILED);
  }

  /// MPI has started, or cannot.
  void end() {
    ended = true;
    LockSupport.unpark(thread);
  }
}
