package dev.gossamer.gnn.historical;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.format.RowGather;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The rows of a cache, by line: float32, in any message format.
final class DenseLines {
  private final DenseMatrix lines;
  private final RowFormat wire;

  /// @param arena shared, owner of all lines
  /// @param wire message format of rows
  DenseLines(Arena arena, int lines, int width, RowFormat wire) {
    this.lines = DenseMatrix.allocate(arena, lines, width);
    this.wire = wire;
  }

  static long bytes(long lines, int width) {
    return DenseMatrix.bytes(lines, width);
  }

  /// Elements of a row.
  int width() {
    return lines.cols();
  }

  /// Returns the bytes of rows in a message.
  long packedBytes(long rows) {
    return wire.bytes(rows, lines.cols());
  }

  /// Packs rows for a message.
  ///
  /// @param at rows of `rows`
  /// @param to [#packedBytes] bytes, overwritten
  void pack(DenseMatrix rows, int[] at, MemorySegment to, Workers workers) {
    wire.pack(rows, at, to, workers);
  }

  /// Unpacks rows into lines.
  ///
  /// @param packed rows, at least as many as lines
  /// @param to lines, distinct
  void put(MemorySegment packed, int[] to, Workers workers) {
    wire.unpack(packed.asSlice(0, packedBytes(to.length)), lines, to, workers);
  }

  /// Copies lines.
  ///
  /// @param to one row for each line, overwritten
  void load(int[] from, DenseMatrix to, Workers workers) {
    RowGather.gather(lines, from, to, workers);
  }

  /// Returns the memory of the first lines.
  MemorySegment first(int count) {
    return lines.data().asSlice(0, bytes(count, lines.cols()));
  }
}
