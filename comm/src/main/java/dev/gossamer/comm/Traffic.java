package dev.gossamer.comm;

import dev.gossamer.base.trace.Timeline;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Counts the messages and bytes that one rank has sent, by operation and by receiving rank.
///
/// They are counted when an operation is called, by this definition, which is the same for every
/// implementation (`p` ranks, this one is `r`; data that a rank sends to itself are not counted):
///
/// | operation | to each other rank `j` |
/// |---|---|
/// | send | the segment, one message (also when empty) |
/// | broadcast | the root: the segment; all other ranks: nothing |
/// | all-reduce | slice `j`, then the reduced slice `r`: `2 (p-1)/p n` bytes for `n` bytes |
/// | reduce-scatter | block `j` |
/// | all-gather | the rank's own block |
/// | all-to-all | the block for `j` |
/// | barrier | an empty message to rank `r + 2^k mod p`, for each `2^k < p` |
///
/// In a collective, empty blocks are not sent. Slices are as even as possible; the first ones are
/// one element longer. Peers are ranks of the world, also for operations on a group created by
/// [Communicator#split]: a rank has one counter.
///
/// It can also trace the operations that it counts: [#drawOn].
///
/// Thread-safe; counting is an atomic addition per peer.
public final class Traffic {
  private static final int OPERATIONS = Operation.values().length;

  private final int size;
  private final LongSupplier clock;
  private final AtomicLongArray messages;
  private final AtomicLongArray bytes;
  private volatile Timeline timeline = Timeline.OFF;

  /// Creates a counter.
  ///
  /// @param size number of ranks of the world
  public Traffic(int size) {
    this(size, System::nanoTime);
  }

  /// Creates a counter.
  ///
  /// @param size number of ranks of the world
  /// @param clock for the times of traced operations, in nanoseconds
  public Traffic(int size, LongSupplier clock) {
    this.size = size;
    this.clock = clock;
    messages = new AtomicLongArray(OPERATIONS * size);
    bytes = new AtomicLongArray(OPERATIONS * size);
  }

  /// Starts tracing all further operations of this rank on a timeline, for all its groups, from
  /// their start until their data have arrived, under the name of the computation that started
  /// them.
  ///
  /// @param newTimeline of the rank
  public void drawOn(Timeline newTimeline) {
    timeline = newTimeline;
  }

  /// The current time, for the start or end of a traced operation.
  long now() {
    return clock.getAsLong();
  }

  /// The timeline on which operations are traced.
  Timeline timeline() {
    return timeline;
  }

  /// Counts one message.
  ///
  /// @param operation of the message
  /// @param peer receiving rank of the world
  /// @param messageBytes its size
  public void count(Operation operation, int peer, long messageBytes) {
    int cell = operation.row() * size + peer;
    messages.getAndAdd(cell, 1);
    bytes.getAndAdd(cell, messageBytes);
  }

  /// {@return the counts so far}
  public Snapshot snapshot() {
    long[] messagesNow = new long[messages.length()];
    long[] bytesNow = new long[bytes.length()];
    for (int cell = 0; cell < messagesNow.length; cell++) {
      messagesNow[cell] = messages.get(cell);
      bytesNow[cell] = bytes.get(cell);
    }
    return new Snapshot(size, messagesNow, bytesNow);
  }

  /// The counts at one point in time, or between two. Immutable.
  public static final class Snapshot {
    private final int size;
    private final long[] messages;
    private final long[] bytes;

    private Snapshot(int size, long[] messages, long[] bytes) {
      this.size = size;
      this.messages = messages;
      this.bytes = bytes;
    }

    /// {@return the counts after `earlier` and up to this snapshot}
    ///
    /// @param earlier snapshot of the same counter
    /// @throws IllegalArgumentException if the worlds have different sizes
    public Snapshot minus(Snapshot earlier) {
      if (earlier.size != size) {
        throw new IllegalArgumentException(
            "traffic: a snapshot of %d ranks minus one of %d".formatted(size, earlier.size));
      }
      long[] messageDifference = new long[messages.length];
      long[] byteDifference = new long[bytes.length];
      for (int cell = 0; cell < messages.length; cell++) {
        messageDifference[cell] = messages[cell] - earlier.messages[cell];
        byteDifference[cell] = bytes[cell] - earlier.bytes[cell];
      }
      return new Snapshot(size, messageDifference, byteDifference);
    }

    /// {@return the number of ranks of the world}
    public int size() {
      return size;
    }

    /// {@return the number of messages of an operation to one rank of the world}
    ///
    /// @param operation kind of operation
    /// @param peer rank of the world
    public long messages(Operation operation, int peer) {
      return messages[operation.row() * size + peer];
    }

    /// {@return the bytes of an operation to one rank of the world}
    ///
    /// @param operation kind of operation
    /// @param peer rank of the world
    public long bytes(Operation operation, int peer) {
      return bytes[operation.row() * size + peer];
    }

    /// {@return the number of messages of an operation to all ranks}
    ///
    /// @param operation kind of operation
    public long messages(Operation operation) {
      return row(messages, operation);
    }

    /// {@return the bytes of an operation to all ranks}
    ///
    /// @param operation kind of operation
    public long bytes(Operation operation) {
      return row(bytes, operation);
    }

    /// {@return the number of all messages}
    public long totalMessages() {
      return Arrays.stream(messages).sum();
    }

    /// {@return the number of all bytes}
    public long totalBytes() {
      return Arrays.stream(bytes).sum();
    }

    /// Returns whether both have the same counts.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Snapshot that
          && size == that.size
          && Arrays.equals(messages, that.messages)
          && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(messages) + Arrays.hashCode(bytes);
    }

    private long row(long[] cells, Operation operation) {
      int start = operation.row() * size;
      return Arrays.stream(cells, start, start + size).sum();
    }
  }
}
