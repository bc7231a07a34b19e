package dev.gossamer.comm;

import dev.gossamer.base.trace.ExchangeEvent;
import dev.gossamer.base.trace.Interval;
import dev.gossamer.base.trace.Timeline;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// One pending operation of one rank: counts its messages in the rank's traffic, and records it on
/// the timeline and for JDK Flight Recorder, each if it is on when the operation begins.
final class Passage {
  private final Operation operation;
  private final Traffic traffic;
  private final Timeline timeline;
  private final boolean drawn;
  private final ExchangeEvent event = ExchangeEvent.begun();
  private final boolean followed;
  private final SortedSet<Integer> peers;
  private final String label;
  private final String name;
  private final int epoch;
  private final long beginNanos;
  private long sent;
  private long received;

  /// Begins the operation.
  ///
  /// @param operation by which its messages are counted
  /// @param label on the timeline
  Passage(Operation operation, String label, Traffic traffic) {
    this.operation = operation;
    this.label = label;
    this.traffic = traffic;
    timeline = traffic.timeline();
    drawn = timeline.isRecording();
    followed = drawn || event.isEnabled();
    peers = drawn ? new TreeSet<>() : Collections.emptySortedSet();
    String purpose = drawn ? timeline.innermost() : "";
    name = purpose.isEmpty() ? label : purpose;
    epoch = drawn ? timeline.epoch() : 0;
    beginNanos = drawn ? traffic.now() : 0;
  }

  /// Counts a sent message.
  ///
  /// @param peer receiving rank of the world
  void sends(int peer, long bytes) {
    traffic.count(operation, peer, bytes);
    sent += bytes;
    if (drawn) {
      peers.add(peer);
    }
  }

  /// Counts bytes to be received.
  ///
  /// @param peer sending rank of the world
  void receives(int peer, long bytes) {
    received += bytes;
    if (drawn) {
      peers.add(peer);
    }
  }

  /// Ends the operation, which its rank waited for.
  void end() {
    complete(drawn ? traffic.now() : 0);
  }

  /// The request of a pending operation, which is traced when it is complete.
  Request follow(Request request) {
    return followed ? new FollowedRequest(request) : request;
  }

  private void complete(long endNanos) {
    event.ended(label, sent, received);
    if (drawn) {
      draw(endNanos);
    }
  }

  private void draw(long endNanos) {
    timeline.add(
        new Interval.Transfer(
            label,
            name,
            epoch,
            beginNanos,
            Math.max(beginNanos, endNanos),
            List.copyOf(peers),
            sent,
            received));
  }

  /// Traces the passage when a caller sees that the request is complete.
  private final class FollowedRequest extends Request {
    private final Request request;
    private boolean complete;

    FollowedRequest(Request request) {
      this.request = request;
    }

    @Override
    public boolean test() {
      if (request.test()) {
        finish();
      }
      return complete;
    }

    @Override
    public void await() {
      request.await();
      finish();
    }

    private void finish() {
      if (!complete) {
        complete = true;
        Passage.this.complete(request.completedNanos());
      }
    }

    @Override
    public long completedNanos() {
      return request.completedNanos();
    }

    @Override
    protected long now() {
      return request.now();
    }

    @Override
    protected void pause(long sinceNanos, long longestNanos) {
      request.pause(sinceNanos, longestNanos);
    }
  }
}
