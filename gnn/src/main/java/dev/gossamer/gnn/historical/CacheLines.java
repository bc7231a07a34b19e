package dev.gossamer.gnn.historical;

import dev.gossamer.graph.Features;
import dev.gossamer.matrix.Workers;
import java.lang.foreign.MemorySegment;

/// The rows that a cache keeps, by line, and how rows travel to it.
sealed interface CacheLines permits DenseLines, SparseLines {
  /// Bytes of some rows on the way.
  ///
  /// @param rows looked at only if they are sparse
  /// @param at rows of `rows`
  long packedBytes(Features rows, int[] at);

  /// Packs rows for the way.
  ///
  /// @param at rows of `rows`
  /// @param to as many bytes as [#packedBytes] said, overwritten
  void pack(Features rows, int[] at, MemorySegment to, Workers workers);

  /// Puts packed rows into lines.
  ///
  /// @param packed rows, the first of which go to the lines; there may be more
  /// @param count of all packed rows
  /// @param lines distinct
  void put(MemorySegment packed, int count, int[] lines, Workers workers);
}
