package dev.gossamer.base.trace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Records when one rank does what, for the first epochs of a run; afterwards, and always if it is
/// [#OFF], recording costs one field access.
///
/// The rank's own thread opens and closes computations, which nest. Transfers and concurrent work
/// may be added by any of its threads. Memory is bounded by the capacity, about 100 bytes per
/// interval; intervals that do not fit are counted.
public final class Timeline {
  /// Records nothing.
  public static final Timeline OFF = new Timeline(0, 0);

  /// Default maximum number of intervals.
  public static final int DEFAULT_CAPACITY = 200_000;

  /// An interval that has been opened; closing it ends it.
  @FunctionalInterface
  public interface Open extends AutoCloseable {
    @Override
    void close();
  }

  /// A computation that is in progress.
  private record Started(String category, String name, long nanos) {}

  private static final Open NOTHING = () -> {};

  private final int epochs;
  private final int capacity;
  private final List<Interval> intervals = new ArrayList<>();
  private final Deque<Started> open = new ArrayDeque<>();
  private long dropped;
  private int epochsBegun;
  private volatile int epoch;
  private volatile boolean recording;

  /// Creates a timeline of the first epochs.
  ///
  /// @param epochs number of recorded epochs; 0 for none
  /// @param capacity maximum number of intervals
  /// @throws IllegalArgumentException if a number is negative
  public Timeline(int epochs, int capacity) {
    if (epochs < 0 || capacity < 0) {
      throw new IllegalArgumentException(
          "timeline: expected numbers of at least 0, found %d epochs and a capacity of %d"
              .formatted(epochs, capacity));
    }
    this.epochs = epochs;
    this.capacity = capacity;
  }

  /// {@return a timeline of the first epochs, with room for [#DEFAULT_CAPACITY] intervals}
  ///
  /// @param epochs number of recorded epochs; 0 for none
  public static Timeline ofEpochs(int epochs) {
    return epochs == 0 ? OFF : new Timeline(epochs, DEFAULT_CAPACITY);
  }

  /// {@return whether it records any epoch}
  public boolean isOn() {
    return epochs > 0;
  }

  /// {@return whether it records now}
  public boolean isRecording() {
    return recording;
  }

  /// Begins an epoch. The first epoch starts the recording, and the one after the last recorded
  /// epoch ends it; intervals between two epochs belong to the earlier one. No computation may be
  /// open.
  ///
  /// @param number 1-based
  public synchronized void beginEpoch(int number) {
    if (isOn()) {
      epochsBegun++;
      epoch = number;
      recording = epochsBegun <= epochs;
    }
  }

  /// {@return the current epoch}
  public int epoch() {
    return epoch;
  }

  /// Opens a computation within the current one.
  ///
  /// @param category kind of work
  /// @param name readable name
  /// @param beginNanos now, in [System#nanoTime]
  public void begin(String category, String name, long beginNanos) {
    if (recording) {
      push(new Started(category, name, beginNanos));
    }
  }

  /// Closes the computation that was opened last.
  ///
  /// @param endNanos now, in [System#nanoTime]
  public void end(long endNanos) {
    if (recording) {
      pop(endNanos);
    }
  }

  private synchronized void push(Started started) {
    open.push(started);
  }

  private synchronized void pop(long endNanos) {
    Started started = open.pop();
    add(
        new Interval.Computation(
            started.category, started.name, innermost(), epoch, started.nanos, endNanos));
  }

  /// Opens a computation, for use in try-with-resources.
  ///
  /// @param category kind of work
  /// @param name readable name
  /// @return a handle that ends it when closed
  public Open open(String category, String name) {
    if (!recording) {
      return NOTHING;
    }
    begin(category, name, System.nanoTime());
    return () -> end(System.nanoTime());
  }

  /// {@return the name of the innermost open computation; empty if there is none}
  public synchronized String innermost() {
    Started started = open.peek();
    return started == null ? "" : started.name;
  }

  /// Adds an interval that has ended, also after the last recorded epoch.
  ///
  /// @param interval that has ended
  public synchronized void add(Interval interval) {
    if (intervals.size() < capacity) {
      intervals.add(interval);
    } else {
      dropped++;
    }
  }

  /// {@return the recorded intervals, in the order of their ends}
  public synchronized List<Interval> intervals() {
    return List.copyOf(intervals);
  }

  /// {@return the number of intervals that exceeded the capacity}
  public synchronized long dropped() {
    return dropped;
  }
}
