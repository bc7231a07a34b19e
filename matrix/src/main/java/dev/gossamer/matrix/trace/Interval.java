package dev.gossamer.matrix.trace;

import java.util.List;

/// A stretch of a rank's time.
public sealed interface Interval {
  /// What it was for, in a reader's words: `spmm stage 2`.
  String name();

  /// 1-based epoch in which it began.
  int epoch();

  /// In [System#nanoTime].
  long beginNanos();

  /// In [System#nanoTime], not before the begin.
  long endNanos();

  /// What the rank's own thread did. Two of them are apart, or one holds the other.
  ///
  /// @param category kind of work, such as a phase
  /// @param within name of the innermost interval that holds it; empty for none
  record Computation(
      String category, String name, String within, int epoch, long beginNanos, long endNanos)
      implements Interval {}

  /// An operation between ranks, from its begin until the data were there. May overlap anything.
  ///
  /// @param operation of the communicator, such as `all-to-all`
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
    public Transfer {
      peers = List.copyOf(peers);
    }
  }
}
