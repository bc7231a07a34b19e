package dev.gossamer.gnn.link;

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
import dev.gossamer.matrix.format.RowGather;
import dev.gossamer.matrix.sparse.PairScores;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/// Pairs of vertices whose outputs are compared, as the entries of sparse matrices `P`, one for
/// each group of the decoder, that are distributed over ranks by rows, like the outputs `Z`: the
/// score of a pair is `s[uv] = <z[u] M, z[v]>`, a sampled dense-dense product, and with both
/// directions of each pair in some `P` and the derivatives of the loss as values, the gradient of
/// the outputs is the sum over the groups of `P Z M^T`, and that of a map `Z^T P Z`. So a rank
/// needs the rows of `Z` that its pairs name, once, and sends no gradients.
///
/// Layers over pairs ([PairNetwork]) take the same rows, and each end's owner computes its
/// gradient.
///
/// Memory: 12 bytes for each pair of the rank's rows, and a row of `Z` for each of its own and each
/// that its pairs name; of maps, also three for each row that has pairs of a group, and a gradient.
/// Methods are collective.
final class RankPairs implements AutoCloseable {
  /// Pairs in a row of the matrix of scores, in which the loss is computed.
  private static final int BLOCK = 1024;

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final Arena arena;
  private final Kernels kernels;
  private final LinkDecoder decoder;
  private final List<Group> groups = new ArrayList<>();
  private final DenseMatrix labels;
  private final DenseMatrix scores;
  private final DenseMatrix table;
  private final RowExchange exchange;

  /// The pairs of a group.
  ///
  /// @param rows numbers of the rank's rows that have some, ascending; of a dot product all
  /// @param pattern one row for each of these
  /// @param first number of its first pair
  @SuppressWarnings("ArrayRecordComponent")
  private record Group(int[] rows, CsrMatrix pattern, long first) {}

  /// Allocates memory and agrees on the rows to exchange. Collective.
  ///
  /// @param comm a group whose rank `i` owns block `i`; borrowed
  /// @param distribution of the vertices
  /// @param decoder of the scores
  /// @param pairs of each group of the decoder, whose first vertices are this rank's and ascend
  ///   ([PairList])
  /// @param width of the outputs
  /// @param kernels threads and products; borrowed
  RankPairs(
      Communicator comm,
      RowDistribution distribution,
      LinkDecoder decoder,
      List<long[]> pairs,
      int width,
      Kernels kernels) {
    this.kernels = kernels;
    this.decoder = decoder;
    arena = Arena.ofShared();
    try {
      int begin = distribution.begin(comm.rank());
      int own = distribution.count(comm.rank());
      int[] named =
          pairs.stream()
              .flatMapToInt(some -> Arrays.stream(some).mapToInt(PairList::second))
              .sorted()
              .distinct()
              .toArray();
      exchange =
          RowExchange.of(
              comm, distribution, named, RowFormat.FLOAT32, width, kernels.workers(), arena);
      int[] needed = new int[exchange.rowsNeeded()];
      Arrays.setAll(needed, exchange.pattern()::neededRow);
      int count = Math.toIntExact(pairs.stream().mapToLong(some -> some.length).sum());
      int blocks = Math.ceilDiv(count, BLOCK);
      labels = DenseMatrix.allocate(arena, blocks, BLOCK);
      scores = DenseMatrix.allocate(arena, blocks, BLOCK);
      int p = 0;
      for (long[] some : pairs) {
        groups.add(group(some, begin, own, needed, p));
        for (long pair : some) {
          labels.set(p / BLOCK, p % BLOCK, PairList.isEdge(pair) ? 1 : 0);
          p++;
        }
      }
      for (; p < blocks * BLOCK; p++) {
        labels.set(p / BLOCK, p % BLOCK, Float.NaN);
      }
      table = DenseMatrix.allocate(arena, own + needed.length, width);
    } catch (Throwable e) {
      arena.close();
      throw e;
    }
  }

  private Group group(long[] pairs, int begin, int own, int[] needed, long first) {
    int[] rows =
        decoder.isDot()
            ? IntStream.range(0, own).toArray()
            : Arrays.stream(pairs)
                .mapToInt(pair -> PairList.first(pair) - begin)
                .distinct()
                .toArray();
    long[] pointers = new long[rows.length + 1];
    int[] columns = new int[pairs.length];
    int at = 0;
    for (int p = 0; p < pairs.length; p++) {
      int row = PairList.first(pairs[p]) - begin;
      while (rows[at] != row) {
        at++;
      }
      pointers[at + 1]++;
      int second = PairList.second(pairs[p]);
      columns[p] =
          second >= begin && second < begin + own
              ? second - begin
              : own + Arrays.binarySearch(needed, second);
    }
    Arrays.parallelPrefix(pointers, Long::sum);
    return new Group(
        rows, CsrMatrix.of(arena, own + needed.length, pointers, columns, null), first);
  }

  /// Computes the score of each pair.
  ///
  /// @param outputs of the rank's vertices, `own x f`
  /// @param weights parameters by their names
  /// @return the scores of each group, in the order of the pairs
  List<float[]> score(DenseMatrix outputs, Function<String, DenseMatrix> weights) {
    computeScores(outputs, weights);
    return groups.stream().map(group -> scores(group).toArray(FLOAT)).toList();
  }

  private MemorySegment scores(Group group) {
    return scores.data().asSlice(group.first() * Float.BYTES, group.pattern().nnz() * Float.BYTES);
  }

  private void computeScores(DenseMatrix outputs, Function<String, DenseMatrix> weights) {
    long own = outputs.rows();
    table.rows(0, own).copyFrom(outputs);
    exchange.gather(outputs, table.rows(own, table.rows()));
    for (int g = 0; g < groups.size(); g++) {
      Group group = groups.get(g);
      switch (decoder.kind()) {
        case DOT ->
            PairScores.of(group.pattern(), outputs, table, scores(group), kernels.workers());
        case DISTMULT, BILINEAR -> computeMapped(g, outputs, weights);
        case MLP -> {
          try (PairNetwork layers = new PairNetwork(g, table, weights, kernels)) {
            layers.score(group.pattern(), group.rows(), scores(group));
          }
        }
      }
    }
  }

  private void computeMapped(int g, DenseMatrix outputs, Function<String, DenseMatrix> weights) {
    Group group = groups.get(g);
    try (Arena temporary = Arena.ofShared()) {
      DenseMatrix rows = rows(temporary, group, outputs);
      DenseMatrix mapped = like(temporary, rows);
      kernels
          .matmul()
          .multiply(rows, map(temporary, g, weights), mapped, kernels.workers(), RowEpilogue.NONE);
      PairScores.of(group.pattern(), mapped, table, scores(group), kernels.workers());
    }
  }

  private DenseMatrix rows(Arena temporary, Group group, DenseMatrix outputs) {
    DenseMatrix rows = DenseMatrix.allocate(temporary, group.rows().length, outputs.cols());
    RowGather.gather(outputs, group.rows(), rows, kernels.workers());
    return rows;
  }

  private static DenseMatrix like(Arena temporary, DenseMatrix rows) {
    return DenseMatrix.allocate(temporary, rows.rows(), rows.cols());
  }

  private DenseMatrix map(Arena temporary, int group, Function<String, DenseMatrix> weights) {
    DenseMatrix m = DenseMatrix.allocate(temporary, table.cols(), table.cols());
    decoder.map(group, weights, m);
    return m;
  }

  /// Computes the rank's part of the mean binary cross-entropy of all pairs, each of which is in
  /// both directions, replaces the outputs by its gradient, and writes the rank's part of the
  /// gradients of the decoder's parameters.
  ///
  /// @param outputs of the rank's vertices, `own x f`; overwritten
  /// @param total pairs of all ranks
  /// @param state with the decoder's parameters and their gradients
  /// @return the rank's part of the mean
  double lossAndGradient(DenseMatrix outputs, long total, DenseState state) {
    computeScores(outputs, state::weight);
    int[] blocks = new int[(int) scores.rows()];
    Arrays.setAll(blocks, i -> i);
    double loss =
        new LabelLoss()
            .andGradient(
                scores,
                new TargetRows(labels, blocks),
                blocks,
                new TargetLoss.Mean(total, 1f),
                kernels.workers());
    decoder.clearGradients(state);
    switch (decoder.kind()) {
      case DOT -> products(groups.getFirst(), outputs);
      case DISTMULT, BILINEAR -> mappedGradients(outputs, state);
      case MLP -> layerGradients(outputs, state);
    }
    // The score of a pair is that of both directions, and its loss is counted in both.
    return loss / 2;
  }

  /// Computes `P Z`, with the derivatives as values of `P`.
  private void products(Group group, DenseMatrix result) {
    new Spmm(group.pattern().withValues(scores(group)))
        .multiply(table, result, kernels.workers(), RowEpilogue.NONE);
  }

  private void mappedGradients(DenseMatrix outputs, DenseState state) {
    try (Arena temporary = Arena.ofShared()) {
      DenseMatrix sum = like(temporary, outputs);
      DenseMatrix ofMap = DenseMatrix.allocate(temporary, outputs.cols(), outputs.cols());
      for (int g = 0; g < groups.size(); g++) {
        try (Arena ofGroup = Arena.ofShared()) {
          Group group = groups.get(g);
          DenseMatrix rows = rows(ofGroup, group, outputs);
          DenseMatrix products = like(ofGroup, rows);
          products(group, products);
          kernels.matmul().transposedMultiply(rows, products, ofMap, kernels.workers());
          decoder.addGradient(g, ofMap, state);
          kernels
              .matmul()
              .multiplyTransposed(
                  products,
                  map(ofGroup, g, state::weight),
                  rows,
                  kernels.workers(),
                  RowEpilogue.NONE);
          RowGather.scatterAdd(rows, group.rows(), sum, kernels.workers());
        }
      }
      outputs.copyFrom(sum);
    }
  }

  private void layerGradients(DenseMatrix outputs, DenseState state) {
    outputs.fill(0);
    for (int g = 0; g < groups.size(); g++) {
      Group group = groups.get(g);
      try (PairNetwork layers = new PairNetwork(g, table, state::weight, kernels)) {
        layers.gradients(group.pattern(), group.rows(), scores(group), outputs, state);
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
