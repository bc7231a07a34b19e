package dev.gossamer.comm.threads;

import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.Request;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/// A rank's share of an operation among threads. The partner that waits or polls first does the
/// copying, so an operation completes without a separate thread, and a rank that computes does not
/// delay others once it has started its part.
final class ThreadRequest extends Request {
  /// Parking ends late by about this much; the rest is waited for awake.
  private static final long PARK_SLACK = 60_000;

  /// A parked thread polls at this interval even if no thread wakes it.
  private static final long HEARTBEAT = 100_000_000;

  private static final int YIELDS = 8;

  private final RankGroup group;
  private final int rank;
  private final PendingOperation progress;
  private boolean complete;

  ThreadRequest(RankGroup group, int rank, PendingOperation progress) {
    this.group = group;
    this.rank = rank;
    this.progress = progress;
  }

  @Override
  public boolean test() {
    if (!complete) {
      group.world.check();
      complete = progress.advance(rank);
    }
    return complete;
  }

  @Override
  public long completedNanos() {
    return progress.completed(rank);
  }

  @Override
  protected long now() {
    return group.world.now();
  }

  @Override
  public void await() {
    for (int i = 0; i < group.world.spins && !complete; i++) {
      if (test()) {
        return;
      }
      Thread.onSpinWait();
    }
    for (int i = 0; i < YIELDS && !test(); i++) {
      stepAside();
    }
    long since = now();
    while (!test()) {
      pause(since, HEARTBEAT);
    }
  }

  @Override
  protected void pause(long since, long longest) {
    ThreadWorld world = group.world;
    Thread self = Thread.currentThread();
    int bell = group.worldRank(rank);
    world.enter(bell, self);
    try {
      if (test()) {
        return;
      }
      boolean underWay = progress.isUnderWay(rank);
      if (!underWay) {
        checkPatience(since);
      }
      long nanos = longest;
      if (world.isLinked() && underWay) {
        nanos = Math.min(nanos, progress.arrival(rank) - now() - PARK_SLACK);
      }
      if (nanos > 0) {
        LockSupport.parkNanos(this, nanos);
      } else {
        stepAside();
      }
    } finally {
      world.leave(bell, self);
    }
    if (self.isInterrupted()) {
      world.check();
      throw new CommunicationException("interrupted in " + progress.describe());
    }
  }

  /// Lets a rank run that has no core of its own and may be the one that is waited for.
  @SuppressWarnings("ThreadPriorityCheck")
  private static void stepAside() {
    Thread.yield();
  }

  private void checkPatience(long since) {
    BitSet absent = progress.absent(rank);
    for (int peer = absent.nextSetBit(0); peer >= 0; peer = absent.nextSetBit(peer + 1)) {
      if (group.world.hasEnded(group.worldRank(peer)) && progress.absent(rank).get(peer)) {
        throw new CommunicationException(
            "%s has ended, but %s waits for it in %s"
                .formatted(group.name(peer), group.name(rank), progress.describe()));
      }
    }
    long waited = now() - since;
    if (waited > group.world.options.timeout().toNanos()) {
      throw new CommunicationException(
          "%s waited %.1f s in %s for %s"
              .formatted(
                  group.name(rank),
                  waited / (double) TimeUnit.SECONDS.toNanos(1),
                  progress.describe(),
                  absent.stream().mapToObj(group::name).collect(Collectors.joining(", "))));
    }
  }
}
