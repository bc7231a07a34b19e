package dev.gossamer.comm.mpi;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Polls the library for pending operations once per millisecond, because it progresses
/// non-blocking collectives and long messages only during calls, which computing ranks do not make.
/// The thread sleeps while nothing is pending.
final class ProgressThread {
  private static final long PERIOD_NANOS = 1_000_000;

  private final MpiSession session;
  private final List<MpiRequest> pending = new CopyOnWriteArrayList<>();
  private volatile @Nullable Thread thread;
  private volatile boolean ended;
  private volatile boolean asleep;

  ProgressThread(MpiSession session) {
    this.session = session;
  }

  /// Takes care of a request until it is complete.
  void watch(MpiRequest request) {
    pending.add(request);
    if (thread == null) {
      start();
    }
    if (asleep) {
      LockSupport.unpark(thread);
    }
  }

  private synchronized void start() {
    if (thread == null && !ended) {
      thread = Thread.ofPlatform().daemon().name("mpi-progress").start(this::serve);
    }
  }

  private void serve() {
    try {
      while (!ended) {
        asleep = true;
        while (pending.isEmpty() && !ended) {
          LockSupport.park(this);
        }
        asleep = false;
        LockSupport.parkNanos(this, PERIOD_NANOS);
        pending.removeIf(MpiRequest::testIfIdle);
      }
    } catch (Throwable e) {
      session.abort(e);
    }
  }

  /// Ends the thread; nothing may be pending.
  void end() {
    Thread running;
    synchronized (this) {
      ended = true;
      running = thread;
    }
    boolean interrupted = false;
    while (running != null && running.isAlive()) {
      LockSupport.unpark(running);
      try {
        running.join(10);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
