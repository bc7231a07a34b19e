package dev.gossamer.comm.net;

import dev.gossamer.comm.RankFailedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// The thread that sees to a rank's connections while the rank computes.
final class Progress {
  /// Between two looks while requests are pending: what a socket holds takes longer to arrive.
  private static final long BUSY_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final long LONGEST_SIGN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /// Signs of life in the time after which the others would miss them.
  private static final int SIGNS = 4;

  private final NetWorld world;
  private final AtomicInteger pending = new AtomicInteger();
  private final Thread thread;
  private final long signNanos;
  private volatile boolean ended;

  /// @param patience of the others
  Progress(NetWorld world, int rank, Duration patience) {
    this.world = world;
    signNanos = Math.min(LONGEST_SIGN_NANOS, patience.toNanos() / SIGNS);
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("rank-%d-progress".formatted(rank))
            .unstarted(this::serve);
  }

  void start() {
    thread.start();
  }

  /// A request has begun whose rank goes on without waiting for it.
  void watch() {
    if (pending.getAndIncrement() == 0) {
      LockSupport.unpark(thread);
    }
  }

  /// It is complete.
  void forget() {
    pending.decrementAndGet();
  }

  /// Ends it, and waits for that unless this thread is interrupted.
  void end() {
    ended = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve() {
    long signed = System.nanoTime();
    try {
      while (!ended) {
        world.turn(0);
        long now = System.nanoTime();
        if (now - signed > signNanos) {
          world.exchangeSigns(signed);
          signed = now;
        }
        LockSupport.parkNanos(
            this, pending.get() > 0 ? BUSY_NANOS : Math.min(IDLE_NANOS, signNanos));
      }
    } catch (RankFailedException e) {
      // The rank learns it from its next operation.
      world.wakeAll();
    }
  }
}
