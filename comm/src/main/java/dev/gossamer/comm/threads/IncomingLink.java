package dev.gossamer.comm.threads;

import java.util.Map;
import java.util.TreeMap;

/// The busy times of a rank's incoming link. It is never idle while a message waits, and a message
/// may pass in pieces between earlier announced ones: so the time at which the last of several
/// messages has passed depends on their starts and durations, not on the order in which threads
/// announce them.
///
/// Times are nanoseconds of one clock without overflow. Not thread-safe.
final class IncomingLink {
  /// Ends of the spans that are taken, by their begins; they neither overlap nor touch.
  private final TreeMap<Long, Long> taken = new TreeMap<>();

  /// Times before this are forgotten and no longer used.
  private long closed = Long.MIN_VALUE;

  /// Takes the link for a message wherever it is free.
  ///
  /// @param notBefore when the message begins to leave its sender
  /// @param nanos that it takes in all
  /// @return when all of it has passed
  long take(long notBefore, long nanos) {
    long at = Math.max(notBefore, closed);
    Map.Entry<Long, Long> before = taken.floorEntry(at);
    long begin = at;
    if (before != null && before.getValue() >= at) {
      begin = before.getKey();
      at = before.getValue();
    }
    long left = nanos;
    Map.Entry<Long, Long> next = taken.higherEntry(at);
    while (next != null && next.getKey() - at < left) {
      left -= next.getKey() - at;
      at = next.getValue();
      taken.remove(next.getKey());
      next = taken.higherEntry(at);
    }
    at += left;
    boolean touches = next != null && next.getKey() == at;
    if (touches) {
      taken.remove(at);
    }
    if (at > begin) {
      taken.put(begin, touches ? next.getValue() : at);
    }
    return at;
  }

  /// Forgets what ended before a moment; messages that are announced later, and began before, are
  /// taken to begin then.
  void forget(long until) {
    while (!taken.isEmpty() && taken.firstEntry().getValue() < until) {
      closed = taken.pollFirstEntry().getValue();
    }
  }
}
