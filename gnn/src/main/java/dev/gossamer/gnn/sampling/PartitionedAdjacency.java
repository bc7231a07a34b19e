package dev.gossamer.gnn.sampling;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.CsrRowFetch;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.Consumer;

/// The rows of a graph that is spread over ranks: each rank has one block of rows and fetches
/// others from the owners in its process column (MBS, section 5.2).
final class PartitionedAdjacency implements AdjacencyRows {
  /// The tag of the sums on their way from rank to rank.
  private static final int TAG = 2;

  private final Communicator column;
  private final RowDistribution distribution;
  private final CsrMatrix own;
  private final CsrRowFetch fetch;
  private final int[] rowLengths;

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
    rowLengths = CsrRowFetch.rowLengths(column, distribution, own);
  }

  @Override
  public int vertices() {
    return own.cols();
  }

  @Override
  public int[] rowLengths() {
    return rowLengths;
  }

  /// Collective in the process column.
  @Override
  public SelectedRows select(Arena arena, int[] vertices) {
    int[] distinct = InverseTransform.distinct(vertices);
    CsrMatrix fetched = fetch.fetch(arena, distinct);
    int[] at = new int[vertices.length];
    Arrays.setAll(at, i -> Arrays.binarySearch(distinct, vertices[i]));
    return new SelectedRows(fetched, at);
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
