package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.Reduction;
import dev.gossamer.exchange.CsrRowFetch;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.random.Philox;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/// The rows of a distributed graph: each rank has one block of rows and fetches others from the
/// owners in its process column (MBS, section 5.2), or lets the owners draw.
final class PartitionedAdjacency implements NeighbourRows {
  /// The tag of the sums on their way from rank to rank.
  private static final int TAG = 2;

  private final Communicator column;
  private final RowDistribution distribution;
  private final CsrMatrix own;
  private final CsrRowFetch fetch;
  private final CsrRowFetch patternFetch;
  private final OwnerDraws owners;
  private final int[] rowLengths;
  private final LongAdder bytes = new LongAdder();

  PartitionedAdjacency(ProcessGrid grid, RowDistribution distribution, CsrMatrix own) {
    if (own.cols() != distribution.rows() || !own.isCanonical()) {
      throw new IllegalArgumentException(
          "sampling: the block is %s; expected %d columns and canonical rows"
              .formatted(own, distribution.rows()));
    }
    column = grid.processColumn();
    this.distribution = distribution;
    this.own = own;
    fetch = new CsrRowFetch(column, distribution, own);
    CsrMatrix pattern = own.withValues(null).withScales(null, null);
    patternFetch = new CsrRowFetch(column, distribution, pattern);
    owners = new OwnerDraws(column, distribution, pattern);
    rowLengths = CsrRowFetch.rowLengths(column, distribution, own);
  }

  @Override
  public int vertices() {
    return own.cols();
  }

  @Override
  public Communicator sharers() {
    return column;
  }

  @Override
  public int[] rowLengths() {
    return rowLengths;
  }

  /// Each entry adds a pseudorandom number, which its transpose subtracts: the sum of a symmetric
  /// graph is 0, that of another graph with probability `2^-64`. Collective in the process column.
  @Override
  public boolean isUndirected() {
    int first = distribution.begin(column.rank());
    Philox numbers = new Philox(0, 0);
    long sum = 0;
    for (int i = 0; i < own.rows(); i++) {
      int v = first + i;
      for (long e = own.rowPointer(i); e < own.rowPointer(i + 1L); e++) {
        int u = own.column(e);
        long number = numbers.low(Math.min(u, v), Math.max(u, v), 0, 0);
        sum += Integer.signum(u - v) * number;
      }
    }
    MemorySegment total = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, sum);
    column.allReduce(total, Element.LONG, Reduction.SUM);
    return total.get(ValueLayout.JAVA_LONG, 0) == 0;
  }

  /// Collective in the process column.
  @Override
  public SelectedRows select(Arena arena, int[] vertices) {
    int[] distinct = InverseTransform.distinct(vertices);
    CsrMatrix fetched = fetch.fetch(arena, distinct);
    bytes.add(bytes(distinct, own.values() == null ? Integer.BYTES : Integer.BYTES + Float.BYTES));
    int[] at = new int[vertices.length];
    Arrays.setAll(at, i -> Arrays.binarySearch(distinct, vertices[i]));
    return new SelectedRows(fetched, at);
  }

  /// A row is sent whole, and once, if it is shorter than all draws from it together, and always if
  /// its entries have values.
  @Override
  public SelectedRows neighbours(
      Arena arena, int[] vertices, int s, Draws draws, NeighbourPlaces places) {
    if (own.values() != null) {
      return select(arena, vertices);
    }
    int[] distinct = InverseTransform.distinct(vertices);
    int[] at = new int[vertices.length];
    int[] askers = new int[distinct.length];
    for (int i = 0; i < at.length; i++) {
      at[i] = Arrays.binarySearch(distinct, vertices[i]);
      askers[at[i]]++;
    }
    int[] whole =
        IntStream.range(0, distinct.length)
            .filter(k -> rowLengths[distinct[k]] <= (long) s * askers[k])
            .map(k -> distinct[k])
            .toArray();
    int[] asking = new int[vertices.length];
    int count = 0;
    for (int i = 0; i < at.length; i++) {
      at[i] = Arrays.binarySearch(whole, vertices[i]);
      if (at[i] < 0) {
        at[i] = whole.length + count;
        asking[count++] = i;
      }
    }
    asking = Arrays.copyOf(asking, count);
    bytes.add(bytes(whole, Integer.BYTES));
    for (int i : asking) {
      bytes.add(isOwn(vertices[i]) ? 0 : (long) s * Integer.BYTES);
    }
    try (Arena working = Arena.ofShared()) {
      CsrMatrix rows = patternFetch.fetch(working, whole);
      int[] drawn = owners.draw(vertices, asking, s, draws, places);
      return new SelectedRows(joined(arena, rows, drawn, s), at);
    }
  }

  /// Some rows, and under them rows of `s` entries each.
  private static CsrMatrix joined(Arena arena, CsrMatrix rows, int[] drawn, int s) {
    int upper = (int) rows.rows();
    long[] pointers = new long[upper + drawn.length / s + 1];
    for (int i = 0; i < pointers.length; i++) {
      pointers[i] = i <= upper ? rows.rowPointer(i) : pointers[i - 1] + s;
    }
    MemorySegment columns =
        arena.allocate((rows.nnz() + drawn.length) * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment.copy(rows.columns(), 0, columns, 0, rows.nnz() * Integer.BYTES);
    MemorySegment.copy(
        drawn, 0, columns, ValueLayout.JAVA_INT, rows.nnz() * Integer.BYTES, drawn.length);
    MemorySegment rowPointers = arena.allocateFrom(ValueLayout.JAVA_LONG, pointers);
    return CsrMatrix.wrap(pointers.length - 1, rows.cols(), rowPointers, columns, null);
  }

  private boolean isOwn(int vertex) {
    return distribution.owner(vertex) == column.rank();
  }

  /// Returns the bytes of remote rows.
  private long bytes(int[] rows, int entryBytes) {
    long sum = 0;
    for (int v : rows) {
      sum += isOwn(v) ? 0 : Integer.BYTES + (long) entryBytes * rowLengths[v];
    }
    return sum;
  }

  @Override
  public long bytesFetched() {
    return bytes.sum();
  }

  /// Collective in the process column.
  @Override
  public double[] columnSums(Term term) {
    int first = distribution.begin(column.rank());
    return addedInTurn(sums -> WholeAdjacency.addTerms(own, first, term, sums));
  }

  /// Collective in the process column.
  @Override
  public double[] sumsOfOthers(double[] x) {
    int first = distribution.begin(column.rank());
    return addedInTurn(sums -> WholeAdjacency.addOthers(own, first, x, sums));
  }

  /// The sums go from rank to rank, so that they are added in the order of rows and have the bits
  /// that one rank would give them.
  private double[] addedInTurn(Consumer<double[]> add) {
    int rank = column.rank();
    int last = column.size() - 1;
    try (Arena working = Arena.ofShared()) {
      MemorySegment all = working.allocate(ValueLayout.JAVA_DOUBLE, own.cols());
      if (rank > 0) {
        column.receive(rank - 1, TAG, all);
      }
      double[] sums = all.toArray(ValueLayout.JAVA_DOUBLE);
      add.accept(sums);
      MemorySegment.copy(sums, 0, all, ValueLayout.JAVA_DOUBLE, 0, sums.length);
      if (rank < last) {
        column.send(rank + 1, TAG, all);
      }
      column.broadcast(last, all);
      return all.toArray(ValueLayout.JAVA_DOUBLE);
    }
  }
}
