package dev.gossamer.base.trace;

import java.util.List;

/// A stretch of a rank's time.
public sealed interface Interval {
  /// {@return what it was for, in a reader's words: `spmm stage 2`}
  String name();

  /// {@return the epoch in which it began, 1-based}
  int epoch();

  /// {@return when it began, in [System#nanoTime]}
  long beginNanos();

  /// {@return when it ended, in [System#nanoTime], not before the begin}
  long endNanos();

  /// What the rank's own thread did. Two of them are apart, or one holds the other.
  ///
  /// @param category kind of work, such as a phase
  /// @param name what it was for
  /// @param within name of the innermost interval that holds it; empty for none
  /// @param epoch in which it began
  /// @param beginNanos in [System#nanoTime]
  /// @param endNanos in [System#nanoTime], not before the begin
  record Computation(
      String category, String name, String within, int epoch, long beginNanos, long endNanos)
      implements Interval {}

  /// What a thread of the rank did beside its own: drawing the batches to come. Two of them are
  /// apart.
  ///
  /// @param name what it was for
  /// @param epoch in which it began
  /// @param beginNanos in [System#nanoTime]
  /// @param endNanos in [System#nanoTime], not before the begin
  record Beside(String name, int epoch, long beginNanos, long endNanos) implements Interval {}

  /// An operation between ranks, from its begin until the data were there. May overlap anything.
  ///
  /// @param operation of the communicator, such as `all-to-all`
  /// @param name what it was for
  /// @param epoch in which it began
  /// @param beginNanos in [System#nanoTime]
  /// @param endNanos in [System#nanoTime], not before the begin
  /// @param peers ranks of the world that it sends to or receives from, ascending
  /// @param bytesSent as the rank's traffic counts them
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
