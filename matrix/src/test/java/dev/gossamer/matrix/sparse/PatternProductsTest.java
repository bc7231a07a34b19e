package dev.gossamer.matrix.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.MeasuredArena;
import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.Samples;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(booleans = {false, true})
class PatternProductsTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// k and n: a single element, less than a panel, several panels with a rest, more columns and
  /// more rows than one task takes, enough nonzeros for several tasks in either direction.
  private static final int[][] SHAPES = {
    {1, 1}, {5, 70}, {130, 67}, {70, 1100}, {1050, 65}, {300, 290}
  };

  /// Rows of activations: one, around a vector, around two, around a block.
  private static final int[] ROWS = {1, 15, 16, 17, 33, TransposedProduct.ROWS + 3};

  /// Whether the pattern consists of whole blocks, and is multiplied by them.
  @Parameter boolean inBlocks;

  private final Arena arena = Arena.ofShared();
  private final Workers workers = new Workers(2);

  @AfterEach
  void free() {
    workers.close();
    arena.close();
  }

  /// A random matrix, some of whose rows and columns are empty.
  private final class Sparse {
    final int k;
    final int n;
    final BitSet kept = new BitSet();
    final double[][] dense;
    final MemorySegment compressed;
    final MemorySegment values;
    final PatternProducts products;

    Sparse(int k, int n, double density, long seed) {
      this.k = k;
      this.n = n;
      Random random = new Random(seed);
      int side = inBlocks ? BlockProducts.SIDE : 1;
      for (int i = 0; i < k; i += side) {
        for (int j = 0; j < n; j += side) {
          boolean empty = density < 1 && (i / side % 7 == 3 || j / side % 5 == 2);
          if (!empty && random.nextDouble() < density) {
            keep(i, j, side);
          }
        }
      }
      compressed = arena.allocate((long) kept.cardinality() * Float.BYTES, 64);
      dense = new double[k][n];
      int at = 0;
      for (int e = kept.nextSetBit(0); e >= 0; e = kept.nextSetBit(e + 1)) {
        float value = 2 * random.nextFloat() - 1;
        dense[e / n][e % n] = value;
        compressed.setAtIndex(FLOAT, at++, value);
      }
      products = made(arena, k, n, kept);
      values = arena.allocate(compressed.byteSize(), 64);
      products.unsorted(compressed, values);
    }

    private void keep(int row, int col, int side) {
      for (int i = row; i < Math.min(k, row + side); i++) {
        kept.set(i * n + col, i * n + Math.min(n, col + side));
      }
    }
  }

  private PatternProducts made(Arena owner, int k, int n, BitSet kept) {
    return inBlocks ? new BlockProducts(owner, k, n, kept) : new SparseProducts(owner, k, n, kept);
  }

  /// Requires `y[i][j]` to be the sum over `p` of `x[i][p] w[p][j]`, or `w[j][p]`.
  private static void requireProduct(DenseMatrix x, Sparse w, boolean transposed, DenseMatrix y) {
    for (int i = 0; i < y.rows(); i++) {
      for (int j = 0; j < y.cols(); j++) {
        double sum = 0;
        double size = 0;
        int terms = 0;
        for (int p = 0; p < x.cols(); p++) {
          double weight = transposed ? w.dense[j][p] : w.dense[p][j];
          if (weight != 0) {
            sum += x.get(i, p) * weight;
            size += Math.abs(x.get(i, p) * weight);
            terms++;
          }
        }
        // One rounding for each term; a panel's sum is added with one more.
        double most = (terms + x.cols() / SparsePanels.PANEL + 1) * 0x1p-24 * size;
        double found = y.get(i, j);
        if (!(Math.abs(found - sum) <= most)) {
          assertThat(found)
              .as("%s by %d x %d at %d, %d", x, w.k, w.n, i, j)
              .isCloseTo(sum, within(most));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.001, 0.1, 0.6, 1})
  void productsAreThoseOfTheExpandedMatrix(double density) {
    for (int[] shape : SHAPES) {
      Sparse w = new Sparse(shape[0], shape[1], density, 1);
      for (int m : ROWS) {
        DenseMatrix x = Samples.random(arena, m, w.k, 2);
        DenseMatrix y = Samples.random(arena, m, w.n, 3);
        w.products.multiply(w.values, x, y, workers, RowEpilogue.NONE);
        requireProduct(x, w, false, y);
        DenseMatrix g = Samples.random(arena, m, w.k, 4);
        w.products.multiplyTransposed(w.values, y, g, workers, RowEpilogue.NONE);
        requireProduct(y, w, true, g);
      }
    }
  }

  /// More values than are fetched at a time.
  @Test
  void productsOfManyNonzeros() {
    Sparse w = new Sparse(1050, 520, 1, 17);
    DenseMatrix x = Samples.random(arena, 3, w.k, 18);
    DenseMatrix y = Samples.random(arena, 3, w.n, 19);
    w.products.multiply(w.values, x, y, workers, RowEpilogue.NONE);
    requireProduct(x, w, false, y);
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.001, 0.1, 1})
  void gradientsAddWhatLiesAtTheNonzeros(double density) {
    for (int[] shape : SHAPES) {
      Sparse w = new Sparse(shape[0], shape[1], density, 5);
      for (int m : ROWS) {
        requireGradient(m, w);
      }
    }
  }

  /// More rows than are summed up lane by lane, and as many as several parts have.
  @ParameterizedTest
  @ValueSource(ints = {259, 515})
  void gradientsOfManyRows(int m) {
    requireGradient(m, new Sparse(130, 270, 0.5, 20));
  }

  private void requireGradient(int m, Sparse w) {
    DenseMatrix x = Samples.random(arena, m, w.k, 6);
    DenseMatrix t = Samples.random(arena, m, w.n, 7);
    MemorySegment gradient = arena.allocate(w.compressed.byteSize(), 64);
    w.products.unsorted(w.compressed, gradient);
    w.products.addOuter(x, t, gradient, workers);
    MemorySegment ascending = arena.allocate(w.compressed.byteSize(), 64);
    w.products.sorted(gradient, ascending);
    int at = 0;
    for (int e = w.kept.nextSetBit(0); e >= 0; e = w.kept.nextSetBit(e + 1)) {
      double sum = w.compressed.getAtIndex(FLOAT, at);
      double size = Math.abs(sum);
      for (int i = 0; i < m; i++) {
        double term = (double) x.get(i, e / w.n) * t.get(i, e % w.n);
        sum += term;
        size += Math.abs(term);
      }
      double found = ascending.getAtIndex(FLOAT, at++);
      double most = (m + 1) * 0x1p-24 * size;
      if (!(Math.abs(found - sum) <= most)) {
        assertThat(found).as("%d rows, %d x %d at %d", m, w.k, w.n, e).isCloseTo(sum, within(most));
      }
    }
  }

  @Tag("slow")
  @Test
  void bitsDependOnNoThreadCount() {
    Sparse w = new Sparse(700, 800, 0.1, 8);
    DenseMatrix x = Samples.random(arena, 300, w.k, 9);
    DenseMatrix[] y = new DenseMatrix[3];
    DenseMatrix[] g = new DenseMatrix[3];
    MemorySegment[] gradient = new MemorySegment[3];
    for (int threads = 1; threads <= 3; threads++) {
      int i = threads - 1;
      y[i] = DenseMatrix.allocate(arena, 300, w.n);
      g[i] = DenseMatrix.allocate(arena, 300, w.k);
      gradient[i] = arena.allocate(w.compressed.byteSize(), 64);
      try (Workers team = new Workers(threads)) {
        w.products.multiply(w.values, x, y[i], team, RowEpilogue.NONE);
        w.products.multiplyTransposed(w.values, y[i], g[i], team, RowEpilogue.NONE);
        w.products.addOuter(x, y[i], gradient[i], team);
      }
      assertThat(y[i].data().mismatch(y[0].data())).isEqualTo(-1);
      assertThat(g[i].data().mismatch(g[0].data())).isEqualTo(-1);
      assertThat(gradient[i].mismatch(gradient[0])).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 1100})
  void theEpilogueSeesEveryFinishedRowOnce(int n) {
    Sparse w = new Sparse(30, n, 0.2, 10);
    DenseMatrix x = Samples.random(arena, 200, w.k, 11);
    DenseMatrix plain = DenseMatrix.allocate(arena, 200, n);
    DenseMatrix twice = DenseMatrix.allocate(arena, 200, n);
    w.products.multiply(w.values, x, plain, workers, RowEpilogue.NONE);
    w.products.multiply(
        w.values,
        x,
        twice,
        workers,
        (y, begin, end) -> {
          for (long i = begin; i < end; i++) {
            for (int j = 0; j < n; j++) {
              y.set(i, j, 2 * y.get(i, j) + 1);
            }
          }
        });
    for (int i = 0; i < 200; i++) {
      for (int j = 0; j < n; j++) {
        assertThat(twice.get(i, j)).isEqualTo(2 * plain.get(i, j) + 1);
      }
    }
  }

  @Test
  void expandsAndCompressesRanges() {
    Sparse w = new Sparse(10, 300, 0.3, 12);
    int[][] ranges = {{0, 3000}, {0, 0}, {7, 8}, {140, 310}, {2999, 3000}, {3000, 3000}};
    for (int[] range : ranges) {
      int count = range[1] - range[0];
      MemorySegment values = arena.allocate((long) count * Float.BYTES, 4);
      w.products.expand(range[0], range[1], w.values, values);
      MemorySegment copy = arena.allocate(w.compressed.byteSize(), 4);
      w.products.compress(range[0], range[1], values, copy);
      w.products.compressAdd(range[0], range[1], values, copy);
      MemorySegment back = arena.allocate(3000L * Float.BYTES, 4);
      w.products.expand(0, 3000, copy, back);
      for (int e = 0; e < 3000; e++) {
        float expected = (float) w.dense[e / w.n][e % w.n];
        boolean inside = e >= range[0] && e < range[1];
        assertThat(back.getAtIndex(FLOAT, e)).isEqualTo(inside ? 2 * expected : 0f);
        if (inside) {
          assertThat(values.getAtIndex(FLOAT, e - range[0])).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void saysItsBytes() {
    BitSet kept = new BitSet();
    kept.set(8 * 90, 44 * 90);
    try (MeasuredArena measured = new MeasuredArena()) {
      PatternProducts products = made(measured, 102, 90, kept);
      assertThat(products.nonzeros()).isEqualTo(36 * 90);
      if (inBlocks) {
        // At the edges there may be more than there are: 2 columns, of 36 rows.
        long most = BlockProducts.bytes(102, 90, 36 * 90);
        assertThat(measured.bytes()).isBetween(most - 4 * (2 * 102 + 2 * 90), most);
      } else {
        assertThat(measured.bytes()).isEqualTo(SparseProducts.bytes(102, 90, 36 * 90));
      }
    }
  }

  @Test
  void refusesWhatDoesNotFit() {
    Sparse w = new Sparse(20, 30, 0.3, 13);
    DenseMatrix x = Samples.random(arena, 4, 20, 14);
    DenseMatrix y = Samples.random(arena, 4, 30, 15);
    DenseMatrix other = Samples.random(arena, 5, 30, 16);
    BitSet beyond = new BitSet();
    beyond.set(600);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> made(arena, 20, 30, beyond))
        .withMessageContaining("found one at 600");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> w.products.multiply(w.values, x, other, workers, RowEpilogue.NONE))
        .withMessageContaining("4 x 30");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> w.products.multiplyTransposed(w.values, x, y, workers, RowEpilogue.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> w.products.addOuter(x, other, w.values, workers));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> w.products.addOuter(x, y, x.data(), workers));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> w.products.multiply(x.data(), x, y, workers, RowEpilogue.NONE));
    assertThatIllegalArgumentException().isThrownBy(() -> w.products.sorted(w.values, x.data()));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> w.products.expand(590, 601, w.values, x.data()));
  }
}
