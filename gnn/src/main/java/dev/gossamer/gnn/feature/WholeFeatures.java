package dev.gossamer.gnn.feature;

import dev.gossamer.base.Workers;
import dev.gossamer.base.io.PageAdvice;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowGather;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Features that this rank holds whole.
///
/// The rows of a mapped file are copied in the order of the file, so that a batch reads each page
/// once. A file may be larger than the memory, since its pages are clean: the system evicts the
/// least recently used ones, and only the rows of current batches are memory of this process. For a
/// file of more than half the memory, the pages of a batch are prefetched (see [PageAdvice]).
final class WholeFeatures implements FeatureSource {
  private final Features x;

  /// Of dense features that are not expected to stay in memory.
  private final @Nullable PageAdvice advice;

  private long rows;
  private long nanos;

  /// @param memoryBytes of the machine
  WholeFeatures(Features x, long memoryBytes) {
    if (x instanceof Features.None) {
      throw new IllegalArgumentException("features: expected features, found none");
    }
    this.x = x;
    advice =
        x instanceof Features.Dense dense
                && dense.x().data().isMapped()
                && dense.x().data().byteSize() > memoryBytes / 2
            ? new PageAdvice(dense.x().data())
            : null;
  }

  @Override
  public int width() {
    return x.width();
  }

  @Override
  public void fetch(int[] vertices, FetchedRows into, Workers workers) {
    long start = System.nanoTime();
    switch (x) {
      case Features.Dense dense -> {
        RowMoves moves = moves(vertices, dense.x().data());
        if (advice != null) {
          advice.willNeedRows(moves.from(), (long) width() * Float.BYTES);
        }
        DenseMatrix rows = into.dense(vertices.length, width());
        RowGather.move(dense.x(), moves.from(), rows, moves.to(), workers);
      }
      case Features.Sparse sparse -> {
        RowMoves moves = moves(vertices, sparse.x().columns());
        FetchedRows.SparsePart part = new FetchedRows.SparsePart(sparse.x(), moves);
        into.sparse(vertices.length, List.of(part), workers);
      }
      case Features.None none -> throw new IllegalStateException("features: found none");
    }
    rows += vertices.length;
    nanos += System.nanoTime() - start;
  }

  private static RowMoves moves(int[] vertices, MemorySegment data) {
    return data.isMapped() ? RowMoves.ascending(vertices) : RowMoves.inOrder(vertices);
  }

  @Override
  public FetchCounts counts() {
    return new FetchCounts(rows, 0, 0, 0, nanos / 1e9);
  }

  @Override
  public long bytes(long rows) {
    return FetchedRows.bytes(x, rows);
  }

  @Override
  public void close() {}
}
