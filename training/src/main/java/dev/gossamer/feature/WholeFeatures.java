package dev.gossamer.feature;

import dev.gossamer.graph.Features;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.kernel.RowGather;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Features that this rank holds whole.
///
/// The rows of a mapped file are copied in the order of the file, so that a batch touches each page
/// once, even if the file is larger than the memory: its pages are clean, and the kernel drops the
/// least recently used ones when it needs room. What stays resident whatever the file's size is the
/// rows of the batches.
final class WholeFeatures implements FeatureSource {
  private final Features x;
  private long rows;
  private long nanos;

  WholeFeatures(Features x) {
    if (x instanceof Features.None) {
      throw new IllegalArgumentException("features: expected features, found none");
    }
    this.x = x;
  }

  @Override
  public int width() {
    return x.width();
  }

  @Override
  public void fetch(int[] vertices, FeatureRows into, Workers workers) {
    long start = System.nanoTime();
    switch (x) {
      case Features.Dense dense -> {
        RowMoves moves = moves(vertices, dense.x().data());
        DenseMatrix rows = into.dense(vertices.length, width());
        RowGather.move(dense.x(), moves.from(), rows, moves.to(), workers);
      }
      case Features.Sparse sparse -> {
        RowMoves moves = moves(vertices, sparse.x().columns());
        FeatureRows.SparsePart part = new FeatureRows.SparsePart(sparse.x(), moves);
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
    return FeatureRows.bytes(x, rows);
  }

  @Override
  public void close() {}
}
