package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/// Where the rows of `Â` come from: all that samplers ask of the graph.
///
/// A graph that this rank holds whole answers without a copy (MBS, section 5.1); one that is spread
/// over ranks answers with rows that it has fetched from their owners (MBS, section 5.2). All
/// methods may be collective, so that all ranks call them in the same order.
public interface AdjacencyRows {
  /// {@return the rows of a graph on this rank}
  ///
  /// @param a `Â`, `n x n`, row = target, canonical; borrowed
  /// @throws IllegalArgumentException if it is not square or not canonical
  static AdjacencyRows whole(CsrMatrix a) {
    return new WholeAdjacency(a, null);
  }

  /// {@return the rows of a graph that each of some ranks has whole}
  ///
  /// @param sharers those ranks, which ask for the same; borrowed
  /// @param a `Â`, `n x n`, row = target, canonical; borrowed
  /// @throws IllegalArgumentException if it is not square or not canonical
  static AdjacencyRows replicated(Communicator sharers, CsrMatrix a) {
    return new WholeAdjacency(a, sharers);
  }

  /// {@return the rows of a graph that is spread over the ranks of a grid: process row `i` holds
  /// block `i`} Each rank draws batches of its own, which are the same as those of one rank; all
  /// ranks of a process column draw equally many bulks, some of which may be empty. Collective.
  ///
  /// @param grid borrowed
  /// @param distribution of the rows of `Â` over process rows
  /// @param own this rank's rows of `Â`, with all `n` columns, canonical, with the scales of its
  ///   rows and of all columns; borrowed
  /// @throws IllegalArgumentException if the shape does not fit or a row is not canonical
  static AdjacencyRows partitioned(ProcessGrid grid, RowDistribution distribution, CsrMatrix own) {
    return new PartitionedAdjacency(grid, distribution, own);
  }

  /// {@return the rows of some consecutive vertices; those of all others, the halo, are as good as
  /// empty, and are not selected}
  ///
  /// @param first vertex of the first row
  /// @param own their rows of `Â`, with all `n` columns, canonical; borrowed
  /// @throws IllegalArgumentException if a row is not canonical
  static AdjacencyRows own(int first, CsrMatrix own) {
    return new OwnRows(first, own);
  }

  /// What an entry adds to the sum of its column.
  @FunctionalInterface
  interface Term {
    /// {@return what one entry adds}
    ///
    /// @param row of the entry
    /// @param column of the entry
    /// @param coefficient of the entry, scales applied
    /// @param rowLength entries of its row
    double of(int row, int column, double coefficient, int rowLength);
  }

  /// {@return `n`}
  int vertices();

  /// {@return first of the vertices whose rows can be selected}
  default int begin() {
    return 0;
  }

  /// {@return the vertex after the last whose row can be selected}
  default int end() {
    return vertices();
  }

  /// {@return whether the rows of all vertices can be selected}
  default boolean hasAll() {
    return begin() == 0 && end() == vertices();
  }

  /// {@return whether the rows of all vertices can be selected, and with each entry there is that
  /// of the transpose} Cost: a pass over the entries.
  default boolean isUndirected() {
    return false;
  }

  /// {@return the ranks that select among the same rows, so that each may count a share of what all
  /// want counted; null if this rank is alone} Borrowed.
  default @Nullable Communicator sharers() {
    return null;
  }

  /// {@return entries of each row: the in-degrees} Borrowed.
  int[] rowLengths();

  /// {@return the rows of some vertices: `Q_R A` for a `Q_R` with one entry a row}
  ///
  /// @param arena shared, owner of what is fetched
  /// @param vertices in any order; duplicates are allowed; borrowed
  SelectedRows select(Arena arena, int[] vertices);

  /// {@return bytes of rows received from other ranks: 4 for each row and 4, or 8 with values, for
  /// each entry}
  default long bytesFetched() {
    return 0;
  }

  /// {@return the sum of the terms of all entries of each column, added in the order of rows}
  ///
  /// @param term what an entry adds
  double[] columnSums(Term term);

  /// {@return for each vertex, the sum of what the rows of others that have an entry in its column
  /// have, added in the order of rows: `x^T` times the pattern without its diagonal} Rows with 0
  /// cost nothing.
  ///
  /// @param x a number for each row, the same on all ranks; borrowed
  double[] sumsOfOthers(double[] x);
}
