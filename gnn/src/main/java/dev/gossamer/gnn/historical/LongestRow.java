package dev.gossamer.gnn.historical;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.Reduction;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Entries of the longest row of a matrix that is spread over ranks.
final class LongestRow {
  private LongestRow() {}

  /// Collective.
  static int of(Communicator comm, CsrMatrix own) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment number = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, (double) own.longestRow());
      comm.allReduce(number, Element.DOUBLE, Reduction.MAX);
      return (int) number.get(ValueLayout.JAVA_DOUBLE, 0);
    }
  }
}
