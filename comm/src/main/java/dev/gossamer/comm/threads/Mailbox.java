package dev.gossamer.comm.threads;

import dev.gossamer.comm.CommunicationException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The unmatched messages to one rank. Sends and receives with the same sender and tag match in the
/// order in which they began.
final class Mailbox {
  private final RankGroup group;
  private final int receiver;

  /// By sender and tag; a queue holds either sends or receives, never both.
  private final Map<Long, Deque<Message>> queues = new HashMap<>();

  Mailbox(RankGroup group, int receiver) {
    this.group = group;
    this.receiver = receiver;
  }

  /// Begins a send: matches the oldest fitting receive, or waits for one.
  Message send(int sender, int tag, MemorySegment segment) {
    long now = group.world.now();
    long arrival =
        sender == receiver ? now : group.deliver(sender, receiver, now, segment.byteSize());
    return meet(sender, tag, new Message(sender, tag, segment, null, arrival));
  }

  /// Begins a receive: matches the oldest fitting send, or waits for one.
  Message receive(int sender, int tag, MemorySegment segment) {
    return meet(sender, tag, new Message(sender, tag, null, segment, 0));
  }

  private Message meet(int sender, int tag, Message arriving) {
    Message waiting;
    synchronized (queues) {
      long key = (long) sender << Integer.SIZE | tag;
      Deque<Message> queue = queues.computeIfAbsent(key, ignored -> new ArrayDeque<>());
      Message oldest = queue.peek();
      if (oldest == null || (oldest.from == null) == (arriving.from == null)) {
        queue.add(arriving);
        return arriving;
      }
      waiting = queue.remove();
      if (queue.isEmpty()) {
        queues.remove(key);
      }
    }
    waiting.match(arriving);
    group.ring(sender);
    group.ring(receiver);
    return waiting;
  }

  /// One message, from the time at which its first side has arrived.
  final class Message implements PendingOperation {
    private static final int ALONE = 0;
    private static final int MATCHED = 1;
    private static final int COPYING = 2;
    private static final int DONE = 3;

    private final int sender;
    private final int tag;
    private final AtomicInteger state = new AtomicInteger(ALONE);
    private @Nullable MemorySegment from;
    private @Nullable MemorySegment to;
    private long arrival;
    private long matched;
    private volatile long completed;

    private Message(
        int sender,
        int tag,
        @Nullable MemorySegment from,
        @Nullable MemorySegment to,
        long arrival) {
      this.sender = sender;
      this.tag = tag;
      this.from = from;
      this.to = to;
      this.arrival = arrival;
    }

    private void match(Message other) {
      if (from == null) {
        from = other.from;
        arrival = other.arrival;
      } else {
        to = other.to;
      }
      if (from != null && to != null && from.byteSize() != to.byteSize()) {
        throw new CommunicationException(
            "%s sent %d bytes with tag %d to %s, which expected %d"
                .formatted(
                    group.name(sender), from.byteSize(), tag, group.name(receiver), to.byteSize()));
      }
      matched = group.world.now();
      state.set(MATCHED);
    }

    @Override
    public boolean advance(int rank) {
      int now = state.get();
      if (now == MATCHED
          && (!group.world.isLinked() || group.world.now() - arrival >= 0)
          && state.compareAndSet(MATCHED, COPYING)) {
        if (from != null && to != null) {
          to.copyFrom(from);
        }
        completed =
            group.world.isLinked() ? JointMeeting.later(arrival, matched) : group.world.now();
        state.set(DONE);
        group.ring(sender);
        group.ring(receiver);
        return true;
      }
      return now == DONE;
    }

    @Override
    public long completed(int rank) {
      return completed;
    }

    @Override
    public boolean isUnderWay(int rank) {
      return state.get() != ALONE;
    }

    @Override
    public long arrival(int rank) {
      return state.get() == MATCHED ? arrival : group.world.now() + 1_000_000;
    }

    @Override
    public BitSet absent(int rank) {
      BitSet absent = new BitSet();
      if (state.get() == ALONE) {
        absent.set(rank == sender ? receiver : sender);
      }
      return absent;
    }

    @Override
    public String describe() {
      return "message with tag %d from %s to %s"
          .formatted(tag, group.name(sender), group.name(receiver));
    }
  }
}
