package dev.gossamer.gnn.feature;

import dev.gossamer.base.Resources;
import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.CsrRowFetch;
import dev.gossamer.exchange.ExchangePattern;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.exchange.RowExchange;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.format.RowGather;
import dev.gossamer.run.memory.GrowingSegment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Features that are distributed over the ranks of a grid in blocks of rows: a fetch is an
/// all-to-all in the process column, row numbers out and rows back (MBS, section 6.2), except for
/// rows that this rank owns or caches.
final class PartitionedFeatures implements FeatureSource {
  private final Communicator column;
  private final RowDistribution distribution;
  private final Features own;
  private final RowFormat wire;
  private final GrowingSegment packed = new GrowingSegment();
  private final GrowingSegment arrived = new GrowingSegment();
  private FeatureCache cache = FeatureCache.empty();
  private FetchCounts counts = FetchCounts.NONE;

  PartitionedFeatures(
      ProcessGrid grid, RowDistribution distribution, Features own, RowFormat wire) {
    check(grid, distribution, own);
    // A group of its own, so that a fetch may go on in another thread than the rest.
    column = grid.processColumn().split(0, grid.row());
    this.distribution = distribution;
    this.own = own;
    this.wire = wire;
  }

  /// @throws IllegalArgumentException if there are no features or the shape does not fit
  static void check(ProcessGrid grid, RowDistribution distribution, Features own) {
    long rows =
        switch (own) {
          case Features.Dense dense -> dense.x().rows();
          case Features.Sparse sparse -> sparse.x().rows();
          case Features.None none ->
              throw new IllegalArgumentException("features: expected features, found none");
        };
    if (distribution.blocks() != grid.blocks() || rows != distribution.count(grid.row())) {
      throw new IllegalArgumentException(
          "features: block %d of %d has %d rows; expected %d blocks, and %d rows in this one"
              .formatted(
                  grid.row(),
                  distribution.blocks(),
                  rows,
                  grid.blocks(),
                  grid.row() < distribution.blocks() ? distribution.count(grid.row()) : 0));
    }
  }

  /// Fills the cache of remote rows and resets the counts. Collective.
  void keep(double[] accesses, long bytes, Workers workers) {
    int[] kept = FeatureCache.choose(column, distribution, own, wire, accesses, bytes);
    if (own instanceof Features.Dense dense) {
      GrowingSegment memory = new GrowingSegment();
      MemorySegment rows = memory.ofBytes(wire.bytes(kept.length, width()));
      cache = FeatureCache.dense(kept, rows, memory);
      RowExchange exchange = exchange(kept, workers);
      exchange.beginGatherPacked(dense.x(), rows);
      exchange.finishGather();
    } else {
      cache =
          Resources.handedOver(
              new FetchedRows(),
              rows -> {
                fetch(kept, rows, workers);
                return FeatureCache.sparse(kept, rows);
              });
    }
    counts = FetchCounts.NONE;
    // A cache is larger than a batch; what it travelled through is not needed again.
    packed.close();
    arrived.close();
  }

  @Override
  public int width() {
    return own.width();
  }

  @Override
  public void fetch(int[] vertices, FetchedRows into, Workers workers) {
    long start = System.nanoTime();
    int begin = distribution.begin(column.rank());
    int end = distribution.end(column.rank());
    RowPlaces places = RowPlaces.of(vertices, begin, end, cache.vertices());
    long bytes =
        switch (own) {
          case Features.Dense dense ->
              fetchDense(dense.x(), places, into.dense(vertices.length, width()), workers);
          case Features.Sparse sparse ->
              fetchSparse(sparse.x(), places, vertices.length, into, workers);
          case Features.None none -> throw new IllegalStateException("features: found none");
        };
    counts =
        counts.plus(
            new FetchCounts(
                places.own().count(),
                places.cached().count(),
                places.remote().count(),
                bytes,
                (System.nanoTime() - start) / 1e9));
  }

  /// Copies local rows while remote rows are being sent.
  ///
  /// @return bytes of the rows that came
  private long fetchDense(DenseMatrix block, RowPlaces places, DenseMatrix into, Workers workers) {
    RowMoves remote = places.remote();
    RowMoves mine = places.own();
    RowMoves cached = places.cached();
    RowExchange exchange = exchange(remote.from(), workers);
    MemorySegment come = arrived.ofBytes(wire.bytes(remote.count(), width()));
    exchange.beginGatherPacked(block, come);
    RowGather.move(block, mine.from(), into, mine.to(), workers);
    wire.unpack(cache.packed(), cached.from(), into, cached.to(), workers);
    exchange.finishGather();
    wire.unpack(come, into, remote.to(), workers);
    return come.byteSize();
  }

  /// Exchanges remote rows, ascending, through shared memory. Collective.
  private RowExchange exchange(int[] rows, Workers workers) {
    ExchangePattern pattern = new ExchangePattern(column, distribution, rows);
    MemorySegment sent = packed.ofBytes(wire.bytes(pattern.rowsToSend(), width()));
    return new RowExchange(pattern, wire, sent, workers);
  }

  /// @return bytes of the rows that came
  private long fetchSparse(
      CsrMatrix block, RowPlaces places, int rows, FetchedRows into, Workers workers) {
    RowMoves remote = places.remote();
    try (Arena working = Arena.ofShared()) {
      CsrRowFetch fetch = new CsrRowFetch(column, distribution, block);
      CsrMatrix come = fetch.fetch(working, remote.from());
      CsrMatrix kept = cache.sparse() instanceof Features.Sparse sparse ? sparse.x() : come;
      into.sparse(
          rows,
          List.of(
              new FetchedRows.SparsePart(block, places.own()),
              new FetchedRows.SparsePart(kept, places.cached()),
              new FetchedRows.SparsePart(come, RowMoves.inTurn(remote.to()))),
          workers);
      return remote.count() * (long) Integer.BYTES + come.nnz() * FetchedRows.entryBytes(block);
    }
  }

  @Override
  public FetchCounts counts() {
    return counts;
  }

  /// Assumes requests in proportion to the sizes of blocks: as many rows are packed for other ranks
  /// as are received and reordered.
  @Override
  public long bytes(long rows) {
    int remote = distribution.rows() - distribution.count(column.rank());
    long travelling = distribution.rows() == 0 ? 0 : rows * remote / distribution.rows();
    return FetchedRows.bytes(own, rows) + FetchedRows.travellingBytes(own, travelling, wire);
  }

  @Override
  public void free() {
    cache.close();
    packed.close();
    arrived.close();
  }

  @Override
  public void close() {
    free();
    column.close();
  }
}
