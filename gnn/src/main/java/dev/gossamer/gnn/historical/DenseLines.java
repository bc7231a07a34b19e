package dev.gossamer.gnn.historical;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.format.RowGather;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The rows that a cache keeps, by line: float32, whatever they are on the way.
final class DenseLines {
  private final DenseMatrix lines;
  private final RowFormat wire;

  /// @param arena shared, owner of all lines
  /// @param wire what rows are on the way
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

  /// Bytes of some rows on the way.
  long packedBytes(long rows) {
    return wire.bytes(rows, lines.cols());
  }

  /// Packs rows for the way.
  ///
  /// @param at rows of `rows`
  /// @param to as many bytes as [#packedBytes] said, overwritten
  void pack(DenseMatrix rows, int[] at, MemorySegment to, Workers workers) {
    wire.pack(rows, at, to, workers);
  }

  /// Puts packed rows into lines.
  ///
  /// @param packed rows, the first of which go to the lines; there may be more
  /// @param to lines, distinct
  void put(MemorySegment packed, int[] to, Workers workers) {
    wire.unpack(packed.asSlice(0, packedBytes(to.length)), lines, to, workers);
  }

  /// Copies lines.
  ///
  /// @param to a row for each of them, overwritten
  void load(int[] from, DenseMatrix to, Workers workers) {
    RowGather.gather(lines, from, to, workers);
  }

  /// The memory of the first lines.
  MemorySegment first(int count) {
    return lines.data().asSlice(0, bytes(count, lines.cols()));
  }
}
