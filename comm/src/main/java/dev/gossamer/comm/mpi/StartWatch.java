package dev.gossamer.comm.mpi;

import dev.gossamer.comm.LaunchEnvironment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/// A thread that ends this process if MPI does not start.
///
/// MPI starts when the last rank has arrived. A rank that ends before is not always noticed by its
/// launcher (MPICH's waits for it), and the call in which the others wait never returns. So while
/// they wait, each checks the other processes that the launcher has started on this machine. There
/// is no deadline: the first rank may partition a large graph before it arrives.
final class StartWatch {
  private static final long PERIOD_NANOS = 250_000_000;

  /// How long a process is missed before its launcher is taken not to notice it.
  private static final long GRACE_NANOS = 2_000_000_000;

  /// What launchers call the program that starts ranks on a machine; Open MPI's `mpirun` is a link
  /// to `orterun`, or `prterun`.
  private static final Pattern LAUNCHER =
      Pattern.compile("hydra_pmi_proxy|orte(d|run)|prte(d|run)|slurmstepd|mpi(run|exec).*");

  private final LaunchEnvironment environment;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("mpi-start").unstarted(this::serve);
  private volatile boolean ended;

  StartWatch(LaunchEnvironment environment) {
    this.environment = environment;
  }

  void start() {
    thread.start();
  }

  private void serve() {
    Optional<ProcessHandle> parent = ProcessHandle.current().parent();
    // The child of a script, which has no siblings, misses none.
    boolean areSiblings = parent.map(StartWatch::isLauncher).orElse(false);
    long complete = System.nanoTime();
    while (!ended) {
      LockSupport.parkNanos(this, PERIOD_NANOS);
      long now = System.nanoTime();
      boolean all = parent.map(StartWatch::children).orElse(0L) >= environment.here();
      areSiblings |= all;
      complete = all ? now : complete;
      if (!ended && areSiblings && now - complete > GRACE_NANOS) {
        fail();
      }
    }
  }

  private static boolean isLauncher(ProcessHandle process) {
    return process.info().command().map(StartWatch::isLauncher).orElse(false);
  }

  /// Whether a program starts ranks on a machine.
  ///
  /// @param command its file
  static boolean isLauncher(String command) {
    return LAUNCHER.matcher(String.valueOf(Path.of(command).getFileName())).matches();
  }

  private static long children(ProcessHandle process) {
    return process.children().filter(ProcessHandle::isAlive).count();
  }

  private void fail() {
    MpiSession.writeFailure(
        environment.rank(),
        environment.size(),
        "another of the %d processes of this machine has ended before MPI started"
            .formatted(environment.here()));
    Runtime.getRuntime().halt(MpiSession.STATUS_FAILED);
  }

  /// MPI has started, or cannot.
  void end() {
    ended = true;
    LockSupport.unpark(thread);
  }
}
