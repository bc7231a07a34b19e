package dev.gossamer.historical;

import dev.gossamer.graph.Features;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.kernel.RowGather;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/// Lines of dense rows.
final class DenseLines implements CacheLines {
  private final DenseMatrix lines;

  /// @param arena shared, owner of all lines
  DenseLines(Arena arena, int lines, int width) {
    this.lines = DenseMatrix.allocate(arena, lines, width);
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
    return DenseMatrix.bytes(at.length, lines.cols());
  }

  @Override
  public void pack(Features rows, int[] at, MemorySegment to, Workers workers) {
    RowGather.gather(dense(rows), at, DenseMatrix.wrap(to, at.length, lines.cols()), workers);
  }

  @Override
  public void put(MemorySegment packed, int count, int[] to, Workers workers) {
    DenseMatrix rows = DenseMatrix.wrap(packed, count, lines.cols());
    RowGather.move(rows, IntStream.range(0, to.length).toArray(), lines, to, workers);
  }

  /// Copies lines.
  ///
  /// @param to a row for each of them, overwritten
  void load(int[] from, DenseMatrix to, Workers workers) {
    RowGather.gather(lines, from, to, workers);
  }
}
