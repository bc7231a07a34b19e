package dev.gossamer.comm.mpi;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.Request;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/// One operation made of several requests of the library. The rank that waits and the progress
/// thread ask the library in turn, never both.
final class MpiRequest extends Request {
  private static final long PAUSE_NANOS = 20_000;

  private final MpiSession session;
  private final String operation;
  private final RequestBlocks.Block block;
  private final ReentrantLock asking = new ReentrantLock();

  /// Bytes that must have arrived in each of the first requests; receives come first.
  private final long[] expected;

  private int receives;

  private final int requests;
  private int begun;

  /// Keeps the segments' memory from being collected while the library works on it.
  private final List<MemorySegment> segments = new ArrayList<>();

  /// One segment of each arena that segments in a row belong to: held by the waiting thread.
  private final List<MemorySegment> held = new ArrayList<>();

  private long completedNanos;
  private volatile boolean complete;

  /// @param requests of the library in all
  MpiRequest(MpiSession session, String operation, int requests) {
    this.session = session;
    this.operation = operation;
    expected = new long[requests];
    this.requests = requests;
    block = session.blocks().take(requests);
  }

  /// Where the library is to put its next handle, for an operation on `segment`.
  MemorySegment next(MemorySegment segment) {
    segments.add(segment);
    if (held.isEmpty() || !held.getLast().scope().equals(segment.scope())) {
      held.add(segment);
    }
    int bytes = session.calls().flavour().handleBytes();
    return block.handles().asSlice((long) begun++ * bytes, bytes);
  }

  /// As [#next] for a receive that fills `part`; receives come before everything else.
  MemorySegment nextReceive(MemorySegment part) {
    expected[receives++] = part.byteSize();
    return next(part);
  }

  /// All requests have begun; from here on the progress thread sees to them.
  MpiRequest started() {
    if (begun != requests) {
      throw new IllegalStateException(
          "%s: %d requests planned, %d begun".formatted(operation, requests, begun));
    }
    if (requests == 0) {
      finish();
    } else {
      session.progress().watch(this);
    }
    return this;
  }

  /// As [#started] for an operation whose caller waits at once.
  void awaitStarted() {
    waitWithin();
  }

  @Override
  public boolean test() {
    if (complete) {
      return true;
    }
    asking.lock();
    try {
      return ask();
    } finally {
      asking.unlock();
    }
  }

  /// As [#test], but gives up if another thread is polling. For the progress thread.
  boolean testIfIdle() {
    if (complete || !asking.tryLock()) {
      return complete;
    }
    try {
      return ask();
    } finally {
      asking.unlock();
    }
  }

  private boolean ask() {
    if (!complete) {
      session.calls().testall(requests, block.handles(), block.flag(), block.statuses());
      if (block.flag().get(ValueLayout.JAVA_INT, 0) != 0) {
        checkReceived();
        finish();
      }
    }
    return complete;
  }

  @Override
  public long completedNanos() {
    return completedNanos;
  }

  @Override
  public void await() {
    if (!complete) {
      waitWithin();
    }
  }

  /// @throws IllegalStateException if the memory of a segment has been closed
  private void waitWithin() {
    Memory.hold(this::waitHeld, held.toArray(MemorySegment[]::new));
  }

  private void waitHeld() {
    if (session.oneThreadAtATime()) {
      long since = System.nanoTime();
      while (!test()) {
        pause(since, PAUSE_NANOS);
      }
      return;
    }
    asking.lock();
    try {
      if (!complete) {
        long bytes = segments.stream().mapToLong(MemorySegment::byteSize).sum();
        session.calls().waitall(operation, bytes, requests, block.handles(), block.statuses());
        checkReceived();
        finish();
      }
    } finally {
      asking.unlock();
    }
  }

  private void checkReceived() {
    MpiFlavour flavour = session.calls().flavour();
    for (int i = 0; i < receives; i++) {
      MemorySegment status =
          block.statuses().asSlice((long) i * flavour.statusBytes(), flavour.statusBytes());
      long found = flavour.receivedBytes(status);
      if (found != expected[i]) {
        throw new CommunicationException(
            "%s on rank %d: expected a message of %d bytes, found one of %d"
                .formatted(operation, session.world().rank(), expected[i], found));
      }
    }
  }

  private void finish() {
    completedNanos = System.nanoTime();
    complete = true;
    segments.clear();
    held.clear();
    session.blocks().give(block);
  }

  @Override
  protected void pause(long sinceNanos, long longestNanos) {
    if (System.nanoTime() - sinceNanos > session.watchdog().timeoutNanos()) {
      session.watchdog().expire(operation);
    }
    LockSupport.parkNanos(this, Math.min(longestNanos, PAUSE_NANOS));
  }
}
