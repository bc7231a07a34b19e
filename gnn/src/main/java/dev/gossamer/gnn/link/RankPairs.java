package dev.gossamer.gnn.link;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.exchange.RowExchange;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;
import dev.gossamer.matrix.dense.LabelLoss;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.TargetLoss;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.sparse.PairScores;
import dev.gossamer.matrix.sparse.Spmm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Pairs of vertices whose outputs are compared, as the entries of a sparse matrix `P` that is
/// distributed over ranks by rows, like the outputs `Z`: the score of a pair is `s[uv] = <z[u],
/// z[v]>`, a sampled dense-dense product, and with both directions of each pair in `P` and the
/// derivatives of the loss as its values, the gradient is the sparse product `P Z`. So a rank needs
/// the rows of `Z` that its pairs name, once, and sends no gradients.
///
/// Memory: 12 bytes for each pair of the rank's rows, and a row of `Z` for each of its own and each
/// that its pairs name. Methods are collective.
final class RankPairs implements AutoCloseable {
  /// Pairs in a row of the matrix of scores, in which the loss is computed.
  private static final int BLOCK = 1024;

  private final Arena arena;
  private final Workers workers;
  private final CsrMatrix pattern;
  private final DenseMatrix labels;
  private final DenseMatrix scores;
  private final DenseMatrix table;
  private final RowExchange exchange;

  /// Allocates memory and agrees on the rows to exchange. Collective.
  ///
  /// @param comm a group whose rank `i` owns block `i`; borrowed
  /// @param distribution of the vertices
  /// @param pairs whose first vertices are this rank's and ascend ([PairList])
  /// @param width of the outputs
  /// @param wire format of rows in messages
  /// @param workers threads that share the work; borrowed
  RankPairs(
      Communicator comm,
      RowDistribution distribution,
      long[] pairs,
      int width,
      RowFormat wire,
      Workers workers) {
    this.workers = workers;
    arena = Arena.ofShared();
    try {
      int begin = distribution.begin(comm.rank());
      int own = distribution.count(comm.rank());
      int[] named = Arrays.stream(pairs).mapToInt(PairList::second).sorted().distinct().toArray();
      exchange = RowExchange.of(comm, distribution, named, wire, width, workers, arena);
      int[] needed = new int[exchange.rowsNeeded()];
      Arrays.setAll(needed, exchange.pattern()::neededRow);
      long[] pointers = new long[own + 1];
      int[] columns = new int[pairs.length];
      int blocks = Math.ceilDiv(pairs.length, BLOCK);
      labels = DenseMatrix.allocate(arena, blocks, BLOCK);
      scores = DenseMatrix.allocate(arena, blocks, BLOCK);
      for (int p = 0; p < pairs.length; p++) {
        pointers[PairList.first(pairs[p]) - begin + 1]++;
        int second = PairList.second(pairs[p]);
        columns[p] =
            second >= begin && second < begin + own
                ? second - begin
                : own + Arrays.binarySearch(needed, second);
        labels.set(p / BLOCK, p % BLOCK, PairList.isEdge(pairs[p]) ? 1 : 0);
      }
      Arrays.parallelPrefix(pointers, Long::sum);
      for (int p = pairs.length; p < blocks * BLOCK; p++) {
        labels.set(p / BLOCK, p % BLOCK, Float.NaN);
      }
      pattern = CsrMatrix.of(arena, own + needed.length, pointers, columns, null);
      table = DenseMatrix.allocate(arena, own + needed.length, width);
    } catch (Throwable e) {
      arena.close();
      throw e;
    }
  }

  /// Computes the score of each pair.
  ///
  /// @param outputs of the rank's vertices, `own x f`
  /// @return the scores, in the order of the pairs. Borrowed
  MemorySegment score(DenseMatrix outputs) {
    long own = outputs.rows();
    table.rows(0, own).copyFrom(outputs);
    exchange.gather(outputs, table.rows(own, table.rows()));
    MemorySegment each = scores.data().asSlice(0, pattern.nnz() * Float.BYTES);
    PairScores.of(pattern, outputs, table, each, workers);
    return each;
  }

  /// Computes the rank's part of the mean binary cross-entropy of all pairs, each of which is in
  /// both directions, and replaces the outputs by its gradient.
  ///
  /// @param outputs of the rank's vertices, `own x f`; overwritten
  /// @param total pairs of all ranks
  /// @return the rank's part of the mean
  double lossAndGradient(DenseMatrix outputs, long total) {
    MemorySegment each = score(outputs);
    int[] blocks = new int[(int) scores.rows()];
    Arrays.setAll(blocks, i -> i);
    double loss =
        new LabelLoss()
            .andGradient(
                scores,
                new TargetRows(labels, blocks),
                blocks,
                new TargetLoss.Mean(total, 1f),
                workers);
    // The score of a pair is that of both directions, and its loss is counted in both.
    new Spmm(pattern.withValues(each)).multiply(table, outputs, workers, RowEpilogue.NONE);
    return loss / 2;
  }

  @Override
  public void close() {
    arena.close();
  }
}
