package dev.gossamer.gnn.link;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.Elementwise;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.TopProducts;
import dev.gossamer.matrix.format.RowGather;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.layers.LayerProduct;
import dev.gossamer.nn.state.DenseState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Function;

/// The two layers of [LinkDecoder.Kind#MLP] over pairs, of which a block at a time has rows: with
/// the elementwise products of both ends' outputs as the rows of `X`,
///
/// ```
/// H = ReLU(X W + b),   s = H w[r]^T + c[r]
/// ```
///
/// Nothing of a block is kept: the backward pass computes `H` again. Cost: `2 f^2` operations for
/// the score of a pair, and `6 f^2` for its gradients; memory: [#bytes].
public final class PairNetwork implements AutoCloseable {
  /// Pairs of a block, as many as [TopProducts] asks for at a time.
  private static final int BLOCK = TopProducts.BLOCK;

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final Arena arena;
  private final int type;
  private final DenseMatrix table;
  private final Kernels kernels;
  private final DenseMatrix hiddenWeight;
  private final MemorySegment hiddenBias;
  private final DenseMatrix outputWeight;
  private final MemorySegment outputBias;
  private final DenseMatrix products;
  private final DenseMatrix seconds;
  private final DenseMatrix hidden;
  private final DenseMatrix square;

  /// Allocates memory.
  ///
  /// @param type number of the type of edges that pairs are scored by
  /// @param table outputs of vertices, `n x f`; borrowed
  /// @param weights parameters by their names; borrowed
  /// @param kernels threads and products; borrowed
  public PairNetwork(
      int type, DenseMatrix table, Function<String, DenseMatrix> weights, Kernels kernels) {
    this.type = type;
    this.table = table;
    this.kernels = kernels;
    int f = table.cols();
    hiddenWeight = weights.apply(LinkDecoder.HIDDEN_WEIGHT);
    hiddenBias = weights.apply(LinkDecoder.HIDDEN_BIAS).data();
    outputWeight = DenseMatrix.wrap(row(weights.apply(LinkDecoder.OUTPUT_WEIGHT)), f, 1);
    outputBias = element(weights.apply(LinkDecoder.OUTPUT_BIAS));
    arena = Arena.ofShared();
    products = DenseMatrix.allocate(arena, BLOCK, f);
    seconds = DenseMatrix.allocate(arena, BLOCK, f);
    hidden = DenseMatrix.allocate(arena, BLOCK, f);
    square = DenseMatrix.allocate(arena, f, f);
  }

  /// {@return bytes of the blocks and of a gradient}
  ///
  /// @param width of the outputs
  public static long bytes(int width) {
    return 3 * DenseMatrix.bytes(BLOCK, width) + DenseMatrix.bytes(width, width);
  }

  /// {@return the dense products of a block, one row for each pair}
  ///
  /// @param width of the outputs
  /// @param trains whether gradients are computed
  static List<LayerProduct.Dense> products(int width, boolean trains) {
    LayerProduct.Dense product =
        new LayerProduct.Dense(LayerProduct.Rows.TARGETS, width, width, false, false);
    LayerProduct.Dense gradient =
        new LayerProduct.Dense(LayerProduct.Rows.TARGETS, width, width, false, true);
    return trains ? List.of(product, product, gradient, product) : List.of(product);
  }

  /// {@return rows that are read or written for each pair: for scores, both ends in the table and
  /// the block, factors and product, the hidden layer twice; in training, scores twice, and twelve
  /// rows for gradients}
  ///
  /// @param trains whether gradients are computed
  static int rowsMoved(boolean trains) {
    return trains ? 30 : 9;
  }

  private MemorySegment row(DenseMatrix ofTypes) {
    return ofTypes.rows(type, type + 1L).data();
  }

  private MemorySegment element(DenseMatrix ofTypes) {
    return ofTypes.data().asSlice((long) type * Float.BYTES, Float.BYTES);
  }

  /// Pairs whose rows are in the block.
  ///
  /// @param firsts rows of the first ends
  /// @param products `X`
  /// @param seconds rows of the second ends' outputs
  /// @param hidden `H`
  /// @param numbers one for each pair, scores or their derivatives
  @SuppressWarnings("ArrayRecordComponent")
  private record Block(
      int[] firsts,
      DenseMatrix products,
      DenseMatrix seconds,
      DenseMatrix hidden,
      DenseMatrix numbers) {}

  /// Takes a block of pairs whose hidden layer has been computed.
  @FunctionalInterface
  private interface Step {
    void of(Block block);
  }

  /// Computes the score of each pair.
  ///
  /// @param pairs one row for each of `rows`; the columns are rows of the table
  /// @param rows of the table, the first ends of pairs
  /// @param scores `float32[nnz]`, overwritten, in the order of the entries
  void score(CsrMatrix pairs, int[] rows, MemorySegment scores) {
    inBlocks(pairs, rows, scores, block -> output(block.hidden, block.numbers));
  }

  private void output(DenseMatrix h, DenseMatrix scores) {
    kernels
        .matmul()
        .multiply(h, outputWeight, scores, kernels.workers(), Epilogues.bias(outputBias));
  }

  private void inBlocks(CsrMatrix pairs, int[] rows, MemorySegment numbers, Step step) {
    int row = 0;
    for (long from = 0; from < pairs.nnz(); from += BLOCK) {
      int count = (int) Math.min(BLOCK, pairs.nnz() - from);
      int[] first = new int[count];
      int[] second = new int[count];
      for (int i = 0; i < count; i++) {
        while (pairs.rowPointer(row + 1L) <= from + i) {
          row++;
        }
        first[i] = rows[row];
        second[i] = pairs.column(from + i);
      }
      Block block =
          new Block(
              first,
              products.rows(0, count),
              seconds.rows(0, count),
              hidden.rows(0, count),
              DenseMatrix.wrap(
                  numbers.asSlice(from * Float.BYTES, (long) count * Float.BYTES), count, 1));
      RowGather.gather(table, first, block.products, kernels.workers());
      RowGather.gather(table, second, block.seconds, kernels.workers());
      Elementwise.multiply(block.products, block.seconds, block.products, kernels.workers());
      computeHidden(block.products, hiddenWeight, block.hidden);
      step.of(block);
    }
  }

  private void computeHidden(DenseMatrix x, DenseMatrix weight, DenseMatrix h) {
    kernels.matmul().multiply(x, weight, h, kernels.workers(), Epilogues.biasRelu(hiddenBias));
  }

  /// Adds the gradients of pairs each of which is in both directions, so that each adds half to
  /// those of the parameters, and all to that of its first end.
  ///
  /// @param pairs one row for each of `rows`; the columns are rows of the table
  /// @param rows of the table, the first ends of pairs
  /// @param slopes derivatives of the loss by the scores, in the order of the entries
  /// @param gradient of the table's first rows, added to
  /// @param state with the gradients of the parameters, added to
  void gradients(
      CsrMatrix pairs, int[] rows, MemorySegment slopes, DenseMatrix gradient, DenseState state) {
    inBlocks(pairs, rows, slopes, block -> add(block, gradient, state));
  }

  private void add(Block block, DenseMatrix gradient, DenseState state) {
    int f = table.cols();
    DenseMatrix vector = square.reshaped(1, f);
    DenseMatrix number = square.reshaped(1, 1);
    kernels.matmul().transposedMultiply(block.numbers, block.hidden, vector, kernels.workers());
    addHalf(vector, row(state.gradient(LinkDecoder.OUTPUT_WEIGHT)));
    ColumnSums.of(block.numbers, number.data(), kernels.workers());
    addHalf(number, element(state.gradient(LinkDecoder.OUTPUT_BIAS)));
    kernels
        .matmul()
        .multiplyTransposedMasked(block.numbers, outputWeight, block.hidden, 1, kernels.workers());
    ColumnSums.of(block.hidden, vector.data(), kernels.workers());
    addHalf(vector, state.gradient(LinkDecoder.HIDDEN_BIAS).data());
    kernels.matmul().transposedMultiply(block.products, block.hidden, square, kernels.workers());
    addHalf(square, state.gradient(LinkDecoder.HIDDEN_WEIGHT).data());
    kernels
        .matmul()
        .multiplyTransposed(
            block.hidden, hiddenWeight, block.products, kernels.workers(), RowEpilogue.NONE);
    Elementwise.multiply(block.products, block.seconds, block.products, kernels.workers());
    RowGather.scatterAdd(block.products, block.firsts, gradient, kernels.workers());
  }

  private static void addHalf(DenseMatrix part, MemorySegment sum) {
    for (long i = 0; i < part.rows() * part.cols(); i++) {
      sum.setAtIndex(FLOAT, i, sum.getAtIndex(FLOAT, i) + part.data().getAtIndex(FLOAT, i) / 2);
    }
  }

  /// {@return the scores of some vertices with all rows of the table} Of one vertex, all pairs are
  /// `ReLU(Z diag(z[u]) W + b) w^T + c`: a product for each, whose rows are those of the table.
  ///
  /// @param vertices rows of the table; borrowed
  public TopProducts.Scores with(int[] vertices) {
    return new TopProducts.Scores() {
      @Override
      public int queries() {
        return vertices.length;
      }

      @Override
      public int candidates() {
        return Math.toIntExact(table.rows());
      }

      @Override
      public void compute(int query, int row, DenseMatrix block) {
        DenseMatrix others = table.rows(row, row + (long) block.cols());
        DenseMatrix h = hidden.rows(0, block.cols());
        for (int q = 0; q < block.rows(); q++) {
          scale(vertices[query + q]);
          computeHidden(others, square, h);
          output(h, DenseMatrix.wrap(block.rows(q, q + 1L).data(), block.cols(), 1));
        }
      }
    };
  }

  /// Computes `diag(z[u]) W`.
  private void scale(int vertex) {
    int f = table.cols();
    float[] z = table.rows(vertex, vertex + 1L).data().toArray(FLOAT);
    for (int i = 0; i < f; i++) {
      for (int j = 0; j < f; j++) {
        square.set(i, j, z[i] * hiddenWeight.get(i, j));
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
