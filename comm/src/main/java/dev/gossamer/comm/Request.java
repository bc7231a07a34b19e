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

  /// For implementations of [Communicator].
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

  /// {@return when the operation was complete on this rank, in [System#nanoTime]: when the last
  /// data had arrived or left, regardless of when it is queried} Known once [#await] has returned
  /// or [#test] has returned true.
  ///
  /// Between threads it is the link's time if there is a [Link], and the time of the last copy if
  /// there is none; under MPI it is when the library said so, which the progress thread asks once
  /// in a millisecond while the rank computes.
  public abstract long completedNanos();

  /// Waits until something may have changed for this rank, or a moment.
  ///
  /// @param sinceNanos when the caller began to wait, in [System#nanoTime]
  /// @param longestNanos the longest moment
  /// @throws CommunicationException if that is longer ago than waiting is allowed
  protected abstract void pause(long sinceNanos, long longestNanos);

  /// {@return the time of the clock by which this request waits, in nanoseconds}
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

  /// Waits for all of several requests.
  ///
  /// @param requests any number
  public static void awaitAll(List<? extends Request> requests) {
    for (Request request : requests) {
      request.await();
    }
  }
}
