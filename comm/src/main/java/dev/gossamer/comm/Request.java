package dev.gossamer.comm;

import java.util.List;

/// An operation that has started and continues while its rank computes.
///
/// Until [#await] has returned or [#test] has returned true, callers must not write to the
/// operation's segments, read those that it fills, or close their arenas: closing is refused while
/// a thread waits, and detected at the latest by [#await] under MPI. Afterwards both methods return
/// at once. A request belongs to the rank that started it; only one thread at a time may call it.
public abstract class Request {
  /// One of several requests may complete without anybody noticing but its own clock.
  private static final long GLANCE_NANOS = 100_000;

  /// Creates a request, for implementations of [Communicator].
  protected Request() {}

  /// {@return whether the operation is complete on this rank} Does not wait, but may copy what has
  /// arrived.
  ///
  /// @throws RankFailedException if a rank has failed
  /// @throws CommunicationException if the operation failed
  public abstract boolean test();

  /// Waits until the operation is complete on this rank.
  ///
  /// @throws RankFailedException if a rank has failed, also while waiting
  /// @throws CommunicationException if the operation failed or took longer than allowed
  /// @throws IllegalStateException under MPI, if the memory of a segment has been closed
  public abstract void await();

  /// {@return the time at which the operation was complete on this rank, in [System#nanoTime]: when
  /// the last data had arrived or left, not when it is queried} Known once [#await] has returned or
  /// [#test] has returned true.
  ///
  /// Between threads, it is the link's time if there is a [Link], otherwise the time of the last
  /// copy; under MPI, it is when the library reported it, which the progress thread queries once
  /// per millisecond while the rank computes; over sockets, when the last byte was read or written,
  /// which such a thread does four times per millisecond.
  public abstract long completedNanos();

  /// Waits until something may have changed for this rank, or for a limited time.
  ///
  /// @param sinceNanos when the caller began to wait, in [System#nanoTime]
  /// @param longestNanos the maximum time to wait
  /// @throws CommunicationException if the timeout has passed since then
  protected abstract void pause(long sinceNanos, long longestNanos);

  /// {@return the current time of this request's clock, in nanoseconds}
  protected long now() {
    return System.nanoTime();
  }

  /// Waits until one of several requests is complete; the others continue.
  ///
  /// @param requests at least one
  /// @return the index of the first complete one
  /// @throws IllegalArgumentException if there are no requests
  public static int awaitAny(List<? extends Request> requests) {
    if (requests.isEmpty()) {
      throw new IllegalArgumentException("awaitAny: expected at least one request, found none");
    }
    long since = requests.getFirst().now();
    while (true) {
      for (int i = 0; i < requests.size(); i++) {
        if (requests.get(i).test()) {
          return i;
        }
      }
      requests.getFirst().pause(since, GLANCE_NANOS);
    }
  }

  /// Waits until all requests are complete.
  ///
  /// @param requests any number
  public static void awaitAll(List<? extends Request> requests) {
    for (Request request : requests) {
      request.await();
    }
  }
}
