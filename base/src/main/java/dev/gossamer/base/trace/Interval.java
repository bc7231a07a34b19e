package dev.gossamer.base.trace;

import java.util.List;

/// A time interval of a rank.
public sealed interface Interval {
  /// {@return a readable name: `spmm stage 2`}
  String name();

  /// {@return the epoch in which it began, 1-based}
  int epoch();

  /// {@return the start time, in [System#nanoTime]}
  long beginNanos();

  /// {@return the end time, in [System#nanoTime], not before the start}
  long endNanos();

  /// Work of the rank's own thread. Two of them are disjoint or nested.
  ///
  /// @param category kind of work, such as a phase
  /// @param name readable name
  /// @param within name of the innermost enclosing interval; empty for none
  /// @param epoch in which it began
  /// @param beginNanos in [System#nanoTime]
  /// @param endNanos in [System#nanoTime], not before the start
  record Computation(
      String category, String name, String within, int epoch, long beginNanos, long endNanos)
      implements Interval {}

  /// Concurrent work of another thread of the rank, such as drawing later batches. Two of them are
  /// disjoint.
  ///
  /// @param name readable name
  /// @param epoch in which it began
  /// @param beginNanos in [System#nanoTime]
  /// @param endNanos in [System#nanoTime], not before the start
  record Beside(String name, int epoch, long beginNanos, long endNanos) implements Interval {}

  /// An operation between ranks, from its start until the data have arrived. May overlap all other
  /// intervals.
  ///
  /// @param operation of the communicator, such as `all-to-all`
  /// @param name readable name
  /// @param epoch in which it began
  /// @param beginNanos in [System#nanoTime]
  /// @param endNanos in [System#nanoTime], not before the start
  /// @param peers ranks of the world that it sends to or receives from, ascending
  /// @param bytesSent as counted in the rank's traffic
  /// @param bytesReceived from other ranks
  record Transfer(
      String operation,
      String name,
      int epoch,
      long beginNanos,
      long endNanos,
      List<Integer> peers,
      long bytesSent,
      long bytesReceived)
      implements Interval {
    /// Copies the ranks.
    public Transfer {
      peers = List.copyOf(peers);
    }
  }
}
