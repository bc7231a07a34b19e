package dev.gossamer.comm.threads;

import dev.gossamer.comm.Link;
import dev.gossamer.comm.RankFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The shared state of all ranks of a run: waiting threads, busy links, failures.
final class ThreadWorld {
  final int size;
  final ThreadOptions options;

  /// Number of spins before a rank parks; more than 0 only if each rank has a core.
  final int spins;

  private final List<CopyOnWriteArrayList<Thread>> waiting = new ArrayList<>();
  private final AtomicIntegerArray ended;
  private final AtomicReference<@Nullable RankFailedException> failure = new AtomicReference<>();
  private final LongSupplier clock;
  private final long origin;

  /// Until when the outgoing link of each rank is taken, in nanoseconds since the origin.
  private final long[] outgoingFree;

  private final IncomingLink[] incoming;

  /// @param clock of links and timeouts, such as [System#nanoTime]
  ThreadWorld(int size, ThreadOptions options, LongSupplier clock) {
    this.size = size;
    this.options = options;
    this.clock = clock;
    origin = clock.getAsLong();
    spins = size <= Runtime.getRuntime().availableProcessors() ? 2000 : 0;
    ended = new AtomicIntegerArray(size);
    outgoingFree = new long[size];
    incoming = new IncomingLink[size];
    for (int rank = 0; rank < size; rank++) {
      waiting.add(new CopyOnWriteArrayList<>());
      incoming[rank] = new IncomingLink();
    }
  }

  /// The time of the world's clock, in nanoseconds.
  long now() {
    return clock.getAsLong();
  }

  boolean isLinked() {
    return options.link() != null;
  }

  /// Occupies the outgoing link of one rank and the incoming link of another for a message, and
  /// returns when the message has arrived, as defined by [Link].
  ///
  /// @param notBefore when the message is handed to the link, by the world's clock
  long deliver(int sender, int receiver, long notBefore, long bytes) {
    Link link = options.link();
    if (link == null) {
      return notBefore;
    }
    long nanos = link.nanos(bytes);
    synchronized (outgoingFree) {
      long leaves = Math.max(outgoingFree[sender], notBefore - origin);
      outgoingFree[sender] = leaves + nanos;
      incoming[receiver].forget(now() - origin);
      return origin + incoming[receiver].take(leaves, nanos);
    }
  }

  /// Announces a thread of a rank that will park unless what it waits for has already arrived.
  void enter(int rank, Thread thread) {
    waiting.get(rank).add(thread);
  }

  void leave(int rank, Thread thread) {
    waiting.get(rank).remove(thread);
  }

  /// Wakes the threads of a rank that wait.
  void ring(int rank) {
    for (Thread thread : waiting.get(rank)) {
      LockSupport.unpark(thread);
    }
  }

  private void ringAll() {
    for (int rank = 0; rank < size; rank++) {
      ring(rank);
    }
  }

  /// Ends the run because of `rank`; the first failure counts.
  void fail(int rank, Throwable cause) {
    if (failure.compareAndSet(null, new RankFailedException(rank, size, cause))) {
      ringAll();
    }
  }

  /// Called when the rank's body has returned, so that it will start no more operations.
  void end(int rank) {
    ended.set(rank, 1);
    ringAll();
  }

  boolean hasEnded(int rank) {
    return ended.get(rank) != 0;
  }

  @Nullable RankFailedException failure() {
    return failure.get();
  }

  /// Throws if a rank has failed.
  void check() {
    RankFailedException first = failure.get();
    if (first != null) {
      throw new RankFailedException(first.rank(), size, cause(first));
    }
  }

  private static Throwable cause(RankFailedException failure) {
    Throwable cause = failure.getCause();
    return cause == null ? failure : cause;
  }
}
