package dev.gossamer.comm.threads;

import java.util.BitSet;

/// An operation between threads, which the participating ranks advance.
interface PendingOperation {
  /// Does what can be done now on behalf of a rank, for itself or for a partner that computes.
  ///
  /// @param rank a rank of the group that has reached the operation
  /// @return whether the operation is complete for that rank
  boolean advance(int rank);

  /// Whether all ranks that `rank` needs have arrived, so that it only waits for its link.
  boolean isUnderWay(int rank);

  /// When the next data for `rank` arrive, by the world's clock; meaningful if under way.
  long arrival(int rank);

  /// When the operation was complete for `rank`, by the world's clock; meaningful once it is.
  long completed(int rank);

  /// Returns the ranks of the group that `rank` waits for.
  BitSet absent(int rank);

  /// The operation in the words of a message: `all-reduce of 64 bytes`.
  String describe();
}
