package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/// The source of the rows of `Â`, through which samplers read the graph.
///
/// A graph that this rank holds whole returns rows without copying (MBS, section 5.1); a
/// distributed graph fetches rows from their owners (MBS, section 5.2). All methods may be
/// collective: all ranks call them in the same order.
public interface AdjacencyRows {
  /// {@return the rows of a graph on this rank}
  ///
  /// @param a `Â`, `n x n`, row = target, canonical; borrowed
  /// @throws IllegalArgumentException if it is not square or not canonical
  static AdjacencyRows whole(CsrMatrix a) {
    return new WholeAdjacency(a, null);
  }

  /// {@return the rows of a graph that several ranks hold whole}
  ///
  /// @param sharers those ranks, which make the same calls; borrowed
  /// @param a `Â`, `n x n`, row = target, canonical; borrowed
  /// @throws IllegalArgumentException if it is not square or not canonical
  static AdjacencyRows replicated(Communicator sharers, CsrMatrix a) {
    return new WholeAdjacency(a, sharers);
  }

  /// {@return the rows of a graph that is distributed over the ranks of a grid: process row `i`
  /// holds block `i`} Each rank draws its own batches, which are the same as those of one rank. All
  /// ranks of a process column draw the same number of bulks, some of which may be empty.
  /// Collective.
  ///
  /// @param grid borrowed
  /// @param distribution of the rows of `Â` over process rows
  /// @param own this rank's rows of `Â`, with all `n` columns, canonical, with the scales of its
  ///   rows and of all columns; borrowed
  /// @throws IllegalArgumentException if the shape does not fit or a row is not canonical
  static AdjacencyRows partitioned(ProcessGrid grid, RowDistribution distribution, CsrMatrix own) {
    return new PartitionedAdjacency(grid, distribution, own);
  }

  /// {@return the rows of consecutive vertices; those of all other vertices, the halo, count as
  /// empty and cannot be selected}
  ///
  /// @param first vertex of the first row
  /// @param own their rows of `Â`, with all `n` columns, canonical; borrowed
  /// @throws IllegalArgumentException if a row is not canonical
  static AdjacencyRows own(int first, CsrMatrix own) {
    return new OwnRows(first, own);
  }

  /// The summand of an entry in the sum of its column.
  @FunctionalInterface
  interface Term {
    /// {@return the summand of an entry}
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

  /// {@return whether the rows of all vertices can be selected and the pattern is symmetric} Cost:
  /// a pass over the entries.
  default boolean isUndirected() {
    return false;
  }

  /// {@return the ranks that select among the same rows and may divide the work of counting; null
  /// for a single rank} Borrowed.
  default @Nullable Communicator sharers() {
    return null;
  }

  /// {@return entries of each row: the in-degrees} Borrowed.
  int[] rowLengths();

  /// {@return the rows of some vertices: `Q_R A` for a `Q_R` with one entry per row}
  ///
  /// @param arena shared, owner of fetched rows
  /// @param vertices in any order; duplicates are allowed; borrowed
  SelectedRows select(Arena arena, int[] vertices);

  /// {@return bytes of rows received from other ranks: 4 for each row and 4, or 8 with values, for
  /// each entry}
  default long bytesFetched() {
    return 0;
  }

  /// {@return for each column the sum of the terms of its entries, added in the order of rows}
  ///
  /// @param term the summand of an entry
  double[] columnSums(Term term);

  /// {@return `x^T` times the pattern without its diagonal, added in the order of rows} Rows with 0
  /// cost nothing.
  ///
  /// @param x a number for each row, the same on all ranks; borrowed
  double[] sumsOfOthers(double[] x);
}
