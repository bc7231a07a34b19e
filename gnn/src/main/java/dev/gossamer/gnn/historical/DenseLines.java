package dev.gossamer.gnn.historical;

import dev.gossamer.graph.Features;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.format.RowGather;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Lines of dense rows, float32 whatever they are on the way.
final class DenseLines implements CacheLines {
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

  private static DenseMatrix dense(Features rows) {
    if (rows instanceof Features.Dense dense) {
      return dense.x();
    }
    throw new IllegalArgumentException("cache: expected dense rows, found " + rows);
  }

  @Override
  public long packedBytes(Features rows, int[] at) {
    return wire.bytes(at.length, lines.cols());
  }

  @Override
  public void pack(Features rows, int[] at, MemorySegment to, Workers workers) {
    wire.pack(dense(rows), at, to, workers);
  }

  @Override
  public void put(MemorySegment packed, int count, int[] to, Workers workers) {
    MemorySegment stored = packed.asSlice(0, wire.bytes(to.length, lines.cols()));
    wire.unpack(stored, lines, to, workers);
  }

  /// Copies lines.
  ///
  /// @param to a row for each of them, overwritten
  void load(int[] from, DenseMatrix to, Workers workers) {
    RowGather.gather(lines, from, to, workers);
  }
}
