package dev.gossamer.gnn.feature;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.run.memory.GrowingSegment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;

/// The feature rows of one batch after another, in memory that grows to the largest batch. With two
/// of them, the rows of the next batch can be fetched while those of the current one are in use.
public final class FetchedRows implements AutoCloseable {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /// Rows that one task copies.
  private static final int TASK_ROWS = 1 << 10;

  private final GrowingSegment first = new GrowingSegment();
  private final GrowingSegment columns = new GrowingSegment();
  private final GrowingSegment values = new GrowingSegment();
  private Features features = new Features.None();

  /// Creates an empty instance.
  public FetchedRows() {}

  /// {@return the rows that were fetched last, valid until the next fetch; [Features.None] before
  /// the first}
  public Features features() {
    return features;
  }

  /// Makes room for dense rows. Earlier contents are kept, as far as they fit, if the memory does
  /// not need to grow; otherwise contents are undefined.
  ///
  /// @param rows number of rows
  /// @param width number of columns
  /// @return the matrix, valid until the next call
  public DenseMatrix dense(int rows, int width) {
    DenseMatrix x = first.ofRows(rows, width);
    features = new Features.Dense(x);
    return x;
  }

  /// {@return upper bound of the bytes of some rows}
  ///
  /// @param x matrix of the rows
  /// @param rows how many
  public static long bytes(Features x, long rows) {
    return switch (x) {
      case Features.Dense dense -> DenseMatrix.bytes(rows, dense.width());
      case Features.Sparse sparse -> {
        CsrMatrix all = sparse.x();
        long nnz = all.rowLengths().sumOfLongest(rows);
        yield CsrMatrix.bytes(rows, nnz, all.values() != null);
      }
      case Features.None none -> 0;
    };
  }

  /// {@return upper bound of the bytes of rows in messages: those received, and as many packed for
  /// other ranks}
  ///
  /// @param x matrix of the rows
  /// @param rows how many are received
  /// @param wire message format of dense rows
  public static long travellingBytes(Features x, long rows, RowFormat wire) {
    return 2
        * (x instanceof Features.Dense dense ? wire.bytes(rows, dense.width()) : bytes(x, rows));
  }

  /// {@return bytes of one entry of a sparse row}
  ///
  /// @param x the matrix
  public static int entryBytes(CsrMatrix x) {
    return Integer.BYTES + (x.values() == null ? 0 : Float.BYTES);
  }

  /// Rows of a sparse matrix that are copied into a batch.
  record SparsePart(CsrMatrix matrix, RowMoves moves) {}

  /// Merges sparse rows.
  ///
  /// @param rows of the batch; each is in one part
  /// @param parts at least one, of equal width; all have values or none has
  void sparse(int rows, List<SparsePart> parts, Workers workers) {
    CsrMatrix model = parts.getFirst().matrix();
    MemorySegment pointers = first.ofBytes((rows + 1L) * Long.BYTES);
    pointers.set(LONG, 0, 0);
    for (SparsePart part : parts) {
      for (int k = 0; k < part.moves().count(); k++) {
        long length = part.matrix().rowLength(part.moves().from()[k]);
        pointers.setAtIndex(LONG, part.moves().to()[k] + 1L, length);
      }
    }
    for (int i = 0; i < rows; i++) {
      long end = pointers.getAtIndex(LONG, i) + pointers.getAtIndex(LONG, i + 1L);
      pointers.setAtIndex(LONG, i + 1L, end);
    }
    long bytes = pointers.getAtIndex(LONG, rows) * Integer.BYTES;
    MemorySegment ids = columns.ofBytes(bytes);
    MemorySegment floats = model.values() == null ? null : values.ofBytes(bytes);
    CsrMatrix x = CsrMatrix.wrap(rows, model.cols(), pointers, ids, floats);
    for (SparsePart part : parts) {
      copy(part, x, workers);
    }
    features = new Features.Sparse(x);
  }

  /// Stacks the rows of two sparse matrices of the same width and kind.
  ///
  /// @param upper rows of another instance
  /// @param lower rows below them
  /// @param workers threads that share the work
  public void stacked(CsrMatrix upper, CsrMatrix lower, Workers workers) {
    int above = Math.toIntExact(upper.rows());
    int below = Math.toIntExact(lower.rows());
    int[] to = IntStream.range(above, above + below).toArray();
    sparse(
        above + below,
        List.of(
            new SparsePart(upper, RowMoves.inTurn(IntStream.range(0, above).toArray())),
            new SparsePart(lower, RowMoves.inTurn(to))),
        workers);
  }

  private static void copy(SparsePart part, CsrMatrix x, Workers workers) {
    RowMoves moves = part.moves();
    workers.run(
        Math.ceilDiv(moves.count(), TASK_ROWS),
        (task, worker) -> {
          int end = Math.min(moves.count(), (task + 1) * TASK_ROWS);
          for (int k = task * TASK_ROWS; k < end; k++) {
            long from = part.matrix().rowPointer(moves.from()[k]) * Integer.BYTES;
            long to = x.rowPointer(moves.to()[k]) * Integer.BYTES;
            long bytes = x.rowLength(moves.to()[k]) * Integer.BYTES;
            MemorySegment.copy(part.matrix().columns(), from, x.columns(), to, bytes);
            MemorySegment floats = part.matrix().values();
            if (floats != null && x.values() != null) {
              MemorySegment.copy(floats, from, x.values(), to, bytes);
            }
          }
        });
  }

  @Override
  public void close() {
    first.close();
    columns.close();
    values.close();
  }
}
