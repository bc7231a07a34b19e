package dev.gossamer.matrix.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpmmTest {
  private static final double EPSILON = 0x1p-24;

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    arena.close();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {1, 2, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 100, 127, 128, 129, 200, 255, 257, 400})
  void everyWidthAgreesWithTheOracle(int f) {
    CsrMatrix a = scaled(random(53, 41, 6, true, f), f);
    agrees(a, f, 2);
  }

  @ParameterizedTest
  @CsvSource({
    "false,false,false", "false,false,true", "false,true,false", "false,true,true",
    "true,false,false", "true,false,true", "true,true,false", "true,true,true"
  })
  void everyCombinationOfValuesAndScales(boolean values, boolean row, boolean column) {
    CsrMatrix a = random(300, 200, 5, values, 3);
    a = a.withScales(row ? vector(300, 4) : null, column ? vector(200, 5) : null);
    for (int f : new int[] {5, 16, 70}) {
      agrees(a, f, 2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2047, 2048, 2049, 4096, 10_007})
  void aRowLongerThanABlock(int length) {
    Random random = new Random(length);
    int[] columns = random.ints(length + 3, 0, 97).toArray();
    long[] pointers = {0, 1, 1, 1 + length, 3 + length};
    CsrMatrix a = scaled(CsrMatrix.of(arena, 97, pointers, columns, null), 8);
    for (int f : new int[] {1, 16, 33, 200}) {
      agrees(a, f, 3);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "false,false,false", "false,false,true", "false,true,false", "false,true,true",
    "true,false,false", "true,false,true", "true,true,false", "true,true,true"
  })
  void hotColumnsAreSummedFirst(boolean values, boolean row, boolean column) {
    CsrMatrix a = steep(values, row, column);
    assertThat(HotColumns.of(a, 50)).isNotNull();
    for (int f : new int[] {5, 16, 70, 128, 300}) {
      agrees(new Spmm(a, 50), f, 2);
    }
  }

  @Test
  void theBitsOfASplitMatrixDoNotDependOnTheThreads() {
    Spmm spmm = new Spmm(steep(true, true, true), 50);
    DenseMatrix x = matrix(600, 200, 1);
    float[][] expected = product(spmm, x, 1);
    assertThat(product(spmm, x, 2)).isDeepEqualTo(expected);
    assertThat(product(spmm, x, 3)).isDeepEqualTo(expected);
  }

  /// Of any width, anywhere in a row, in a split matrix and in another, overwriting and adding; and
  /// no other column is touched.
  @Test
  void aBlockOfColumnsHasTheBitsOfTheWhole() {
    for (Spmm spmm : new Spmm[] {new Spmm(steep(true, true, true), 50), new Spmm(even())}) {
      DenseMatrix x = matrix(spmm.matrix().cols(), 200, 1);
      float[][] expected = product(spmm, x, 1);
      DenseMatrix y = matrix((int) spmm.matrix().rows(), 200, 2);
      DenseMatrix sum = matrix((int) spmm.matrix().rows(), 200, 3);
      DenseMatrix wholeSum = matrix((int) spmm.matrix().rows(), 200, 3);
      int[] cuts = {0, 1, 17, 18, 146, 183, 200};
      try (Workers workers = new Workers(2)) {
        spmm.multiplyAdd(x, wholeSum, workers, RowEpilogue.NONE);
        for (int i = cuts.length - 1; i > 0; i--) {
          float[][] before = y.toArray();
          ColumnBlock from = new ColumnBlock(x, cuts[i - 1], cuts[i]);
          ColumnBlock to = new ColumnBlock(y, cuts[i - 1], cuts[i]);
          spmm.multiply(from, to, workers, RowEpilogue.NONE);
          spmm.multiplyAdd(
              from, new ColumnBlock(sum, cuts[i - 1], cuts[i]), workers, RowEpilogue.NONE);
          for (int row = 0; row < before.length; row++) {
            System.arraycopy(
                expected[row], cuts[i - 1], before[row], cuts[i - 1], cuts[i] - cuts[i - 1]);
          }
          assertThat(y.toArray()).isDeepEqualTo(before);
        }
      }
      assertThat(y.toArray()).isDeepEqualTo(expected);
      assertThat(sum.toArray()).isDeepEqualTo(wholeSum.toArray());
    }
  }

  private CsrMatrix even() {
    return scaled(random(300, 200, 5, true, 3), 4);
  }

  @Test
  void theEpilogueOfASplitMatrixSeesFinishedRows() {
    Spmm spmm = new Spmm(steep(false, true, true), 50);
    DenseMatrix x = matrix(600, 150, 1);
    float[][] expected = product(spmm, x, 1);
    float[][] seen = new float[600][];
    DenseMatrix y = DenseMatrix.allocate(arena, 600, 150);
    try (Workers workers = new Workers(2)) {
      spmm.multiply(
          x,
          y,
          workers,
          (result, begin, end) -> {
            float[][] rows = result.rows(begin, end).toArray();
            System.arraycopy(rows, 0, seen, (int) begin, rows.length);
          });
    }
    assertThat(seen).isDeepEqualTo(expected);
  }

  @Test
  void aSmallOrEvenMatrixIsNotSplit() {
    assertThat(HotColumns.of(steep(false, false, false), 76)).isNull();
    assertThat(HotColumns.of(random(400, 400, 10, false, 1), 50)).isNull();
    assertThat(HotColumns.of(random(400, 400, 1, false, 1), 50)).isNull();
  }

  @Test
  void bytesCountWhatIsKept() {
    CsrMatrix a = random(30, 20, 4, true, 1);
    assertThat(new Spmm(a).bytes()).isZero();
    assertThat(new Spmm(scaled(a, 1)).bytes()).isEqualTo(4 * a.nnz());
    CsrMatrix split = steep(true, true, false);
    assertThat(new Spmm(split, 50).bytes())
        .isEqualTo(50 * 512 + 2 * 601 * 8 + (4 + 4) * split.nnz());
  }

  @Test
  void emptyRowsDuplicatesAndSelfLoops() {
    int[] columns = {0, 0, 0, 3, 3, 1};
    CsrMatrix a = CsrMatrix.of(arena, 4, new long[] {0, 3, 3, 3, 5, 6, 6}, columns, null);
    DenseMatrix x = DenseMatrix.of(arena, new float[][] {{1, 10}, {2, 20}, {3, 30}, {4, 40}});
    DenseMatrix y = DenseMatrix.allocate(arena, 6, 2);
    y.fill(99);
    try (Workers workers = new Workers(2)) {
      new Spmm(a).multiply(x, y, workers, RowEpilogue.NONE);
    }
    assertThat(y.toArray())
        .isDeepEqualTo(new float[][] {{3, 30}, {0, 0}, {0, 0}, {8, 80}, {2, 20}, {0, 0}});
  }

  @Test
  void anEmptyRowIsZeroWhateverItsScale() {
    CsrMatrix a =
        CsrMatrix.of(arena, 1, new long[] {0, 0, 1}, new int[] {0}, null)
            .withScales(floats(Float.POSITIVE_INFINITY, 2), null);
    DenseMatrix y = DenseMatrix.allocate(arena, 2, 3);
    try (Workers workers = new Workers(1)) {
      new Spmm(a).multiply(matrix(1, 3, 1), y, workers, RowEpilogue.NONE);
    }
    assertThat(y.get(0, 2)).isZero();
    assertThat(y.get(1, 2)).isNotZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void aMatrixWithoutEntriesOrRows(int rows) {
    CsrMatrix a = CsrMatrix.of(arena, 5, new long[rows + 1], new int[0], null);
    DenseMatrix y = DenseMatrix.allocate(arena, rows, 20);
    y.fill(7);
    try (Workers workers = new Workers(2)) {
      Spmm spmm = new Spmm(a);
      spmm.multiplyAdd(matrix(5, 20, 1), y, workers, RowEpilogue.NONE);
      assertThat(y.toArray()).isDeepEqualTo(filled(rows, 20, 7));
      spmm.multiply(matrix(5, 20, 1), y, workers, RowEpilogue.NONE);
      assertThat(y.toArray()).isDeepEqualTo(filled(rows, 20, 0));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 16, 19, 130})
  void notANumberAndInfinityReachTheRowsThatReadThemAndNoOther(int f) {
    CsrMatrix a =
        CsrMatrix.of(arena, 3, new long[] {0, 2, 3, 4}, new int[] {0, 1, 2, 1}, null)
            .withScales(vector(3, 1), vector(3, 2));
    DenseMatrix x = matrix(3, f, 3);
    x.set(0, f - 1, Float.NaN);
    x.set(2, f - 1, Float.POSITIVE_INFINITY);
    DenseMatrix y = DenseMatrix.allocate(arena, 3, f);
    try (Workers workers = new Workers(1)) {
      new Spmm(a).multiply(x, y, workers, RowEpilogue.NONE);
    }
    assertThat(y.get(0, f - 1)).isNaN();
    assertThat(y.get(1, f - 1)).isInfinite();
    assertThat(y.get(2, f - 1)).isFinite();
    if (f > 1) {
      assertThat(y.get(0, f - 2)).isFinite();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 16, 100, 300})
  void theBitsDoNotDependOnTheThreads(int f) {
    CsrMatrix a = scaled(skewed(3000, 40_000, f), f);
    DenseMatrix x = matrix(3000, f, 1);
    float[][] expected = product(a, x, 1);
    for (int threads = 2; threads <= 4; threads++) {
      assertThat(product(a, x, threads)).isDeepEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 64})
  void isLinear(int f) {
    CsrMatrix a = scaled(random(200, 150, 7, true, f), f);
    DenseMatrix x = matrix(150, f, 1);
    DenseMatrix z = matrix(150, f, 2);
    DenseMatrix both = DenseMatrix.allocate(arena, 150, f);
    for (int i = 0; i < 150; i++) {
      for (int j = 0; j < f; j++) {
        both.set(i, j, 2 * x.get(i, j) + z.get(i, j));
      }
    }
    float[][] ax = product(a, x, 2);
    float[][] az = product(a, z, 2);
    float[][] sum = product(a, both, 2);
    double[][] bound = magnitude(a, x, z);
    for (int i = 0; i < 200; i++) {
      double tolerance = (a.rowLength(i) + 6) * EPSILON * 2;
      for (int j = 0; j < f; j++) {
        assertThat((double) sum[i][j])
            .isCloseTo(2.0 * ax[i][j] + az[i][j], within(tolerance * bound[i][j]));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1,16", "2,16", "3,37", "4,512"})
  void theEpilogueSeesEachRowOnceAndFinished(int threads, int f) {
    CsrMatrix a = scaled(skewed(5000, 30_000, 7), 7);
    DenseMatrix x = matrix(5000, f, 1);
    float[][] expected = product(a, x, 1);
    DenseMatrix y = DenseMatrix.allocate(arena, 5000, f);
    AtomicIntegerArray seen = new AtomicIntegerArray(5000);
    try (Workers workers = new Workers(threads)) {
      new Spmm(a)
          .multiply(
              x,
              y,
              workers,
              (result, begin, end) -> {
                for (long i = begin; i < end; i++) {
                  seen.incrementAndGet((int) i);
                  for (int j = 0; j < f; j++) {
                    result.set(i, j, result.get(i, j) + 1);
                  }
                }
              });
    }
    for (int i = 0; i < 5000; i++) {
      assertThat(seen.get(i)).isEqualTo(1);
      for (int j = 0; j < f; j++) {
        assertThat(y.get(i, j)).isEqualTo(expected[i][j] + 1);
      }
    }
  }

  @Test
  void aTransposeServesTheBackwardPass() {
    CsrMatrix a = scaled(random(120, 80, 4, true, 11), 12);
    agrees(a.transpose(arena), 48, 2);
  }

  @Test
  void memoryThatCannotBeAddressedIsRefused() {
    CsrMatrix a = CsrMatrix.of(arena, 2, new long[] {0, 1}, new int[] {1}, null);
    Spmm spmm = new Spmm(a);
    assertThat(spmm.matrix()).isSameAs(a);
    DenseMatrix x = matrix(2, 1, 1);
    DenseMatrix y = DenseMatrix.allocate(arena, 1, 1);
    DenseMatrix onHeap = DenseMatrix.wrap(MemorySegment.ofArray(new float[2]), 2, 1);
    DenseMatrix readOnly = DenseMatrix.wrap(y.data().asReadOnly(), 1, 1);
    Arena gone = Arena.ofShared();
    DenseMatrix closed = DenseMatrix.allocate(gone, 2, 1);
    gone.close();
    try (Workers workers = new Workers(1)) {
      assertThatThrownBy(() -> spmm.multiply(onHeap, y, workers, RowEpilogue.NONE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("spmm: x and y need off-heap memory");
      assertThatThrownBy(() -> spmm.multiply(x, readOnly, workers, RowEpilogue.NONE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("spmm: y is read-only");
      assertThatThrownBy(() -> spmm.multiply(closed, y, workers, RowEpilogue.NONE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("spmm: the memory of x or y is already closed");
    }
  }

  @Test
  void aDenseMatrixLargerThanCachesGoesInPasses() {
    int n = 40_000;
    CsrMatrix a = scaled(random(500, n, 9, true, 5), 6);
    DenseMatrix x = matrix(n, 131, 1);
    DenseMatrix narrow = DenseMatrix.allocate(arena, n, 3);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < 3; j++) {
        narrow.set(i, j, x.get(i, 128 + j));
      }
    }
    float[][] wide = product(a, x, 3);
    float[][] tail = product(a, narrow, 1);
    agrees(a, 131, 2);
    for (int i = 0; i < 500; i++) {
      assertThat(Arrays.copyOfRange(wide[i], 128, 131)).containsExactly(tail[i]);
    }
  }

  @Test
  void theEpilogueRunsAfterTheLastPassOnly() {
    int n = 30_000;
    CsrMatrix a = scaled(skewed(n, 60_000, 3), 2);
    DenseMatrix x = matrix(n, 150, 1);
    float[][] expected = product(a, x, 1);
    DenseMatrix y = DenseMatrix.allocate(arena, n, 150);
    AtomicIntegerArray seen = new AtomicIntegerArray(n);
    AtomicIntegerArray unfinished = new AtomicIntegerArray(1);
    try (Workers workers = new Workers(3)) {
      new Spmm(a)
          .multiply(
              x,
              y,
              workers,
              (result, begin, end) -> {
                for (int i = (int) begin; i < end; i++) {
                  seen.incrementAndGet(i);
                  for (int j = 0; j < 150; j++) {
                    if (result.get(i, j) != expected[i][j]) {
                      unfinished.incrementAndGet(0);
                    }
                  }
                }
              });
    }
    assertThat(unfinished.get(0)).isZero();
    for (int i = 0; i < n; i++) {
      assertThat(seen.get(i)).isEqualTo(1);
    }
  }

  @Test
  void shapesThatDoNotFitAreNamed() {
    CsrMatrix a = CsrMatrix.of(arena, 2708, new long[2709], new int[0], null);
    Spmm spmm = new Spmm(a);
    DenseMatrix x = DenseMatrix.allocate(arena, 2708, 16);
    DenseMatrix wrong = DenseMatrix.allocate(arena, 1433, 16);
    DenseMatrix narrow = DenseMatrix.allocate(arena, 2708, 15);
    try (Workers workers = new Workers(1)) {
      assertThatThrownBy(() -> spmm.multiply(wrong, x, workers, RowEpilogue.NONE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("spmm: a is 2708 x 2708 but x is 1433 x 16; x needs 2708 rows");
      for (DenseMatrix y : new DenseMatrix[] {wrong, narrow}) {
        assertThatThrownBy(() -> spmm.multiplyAdd(x, y, workers, RowEpilogue.NONE))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage(
                "spmm: a is 2708 x 2708 and x is 2708 x 16 but y is %s; y needs to be 2708 x 16"
                    .formatted(y));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 5, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void aColumnIdOutOfRangeIsFoundBeforeAnyProduct(int id) {
    CsrMatrix a = CsrMatrix.of(arena, 5, new long[] {0, 2}, new int[] {4, id}, null);
    assertThatThrownBy(() -> new Spmm(a))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("spmm: a is 1 x 5 with 2 entries; column id 1: expected 0..4, found " + id);
  }

  /// Compares `a x` and `y + a x` with sums in double precision. A sum of `n` products, each of at
  /// most four rounded factors, is off by at most `n + 4` roundings of its terms' magnitudes.
  private void agrees(CsrMatrix a, int f, int threads) {
    agrees(new Spmm(a), f, threads);
  }

  private void agrees(Spmm spmm, int f, int threads) {
    CsrMatrix a = spmm.matrix();
    DenseMatrix x = matrix(a.cols(), f, 77);
    DenseMatrix y = DenseMatrix.allocate(arena, a.rows(), f);
    DenseMatrix z = matrix((int) a.rows(), f, 78);
    float[][] before = z.toArray();
    try (Workers workers = new Workers(threads)) {
      spmm.multiply(x, y, workers, RowEpilogue.NONE);
      spmm.multiplyAdd(x, z, workers, RowEpilogue.NONE);
    }
    for (int i = 0; i < a.rows(); i++) {
      for (int j = 0; j < f; j++) {
        double sum = 0;
        double magnitude = Double.MIN_NORMAL;
        for (long e = a.rowPointer(i); e < a.rowPointer(i + 1); e++) {
          double term = coefficient(a, i, e) * x.get(a.column(e), j);
          sum += term;
          magnitude += Math.abs(term);
        }
        double tolerance = (a.rowLength(i) + 4) * EPSILON * magnitude;
        assertThat((double) y.get(i, j)).isCloseTo(sum, within(tolerance));
        assertThat((double) z.get(i, j))
            .isCloseTo(
                before[i][j] + sum,
                within(tolerance + 6 * EPSILON * (Math.abs(before[i][j]) + Math.abs(sum))));
      }
    }
  }

  private double[][] magnitude(CsrMatrix a, DenseMatrix x, DenseMatrix z) {
    double[][] magnitude = new double[(int) a.rows()][x.cols()];
    for (int i = 0; i < a.rows(); i++) {
      for (long e = a.rowPointer(i); e < a.rowPointer(i + 1); e++) {
        for (int j = 0; j < x.cols(); j++) {
          int column = a.column(e);
          magnitude[i][j] +=
              Math.abs(coefficient(a, i, e))
                  * (2 * Math.abs(x.get(column, j)) + Math.abs(z.get(column, j)));
        }
      }
    }
    return magnitude;
  }

  private static double coefficient(CsrMatrix a, long row, long entry) {
    MemorySegment r = a.rowScale();
    MemorySegment c = a.columnScale();
    double scale = r == null ? 1 : r.getAtIndex(ValueLayout.JAVA_FLOAT, row);
    return scale
        * a.value(entry)
        * (c == null ? 1 : c.getAtIndex(ValueLayout.JAVA_FLOAT, a.column(entry)));
  }

  private float[][] product(CsrMatrix a, DenseMatrix x, int threads) {
    return product(new Spmm(a), x, threads);
  }

  private float[][] product(Spmm spmm, DenseMatrix x, int threads) {
    DenseMatrix y = DenseMatrix.allocate(arena, spmm.matrix().rows(), x.cols());
    try (Workers workers = new Workers(threads)) {
      spmm.multiply(x, y, workers, RowEpilogue.NONE);
    }
    return y.toArray();
  }

  private CsrMatrix scaled(CsrMatrix a, int seed) {
    return a.withScales(vector((int) a.rows(), seed + 1), vector(a.cols(), seed + 2));
  }

  /// Rows of 0 to twice `mean` entries, unsorted and with duplicates.
  private CsrMatrix random(int rows, int cols, int mean, boolean values, int seed) {
    Random random = new Random(seed);
    long[] pointers = new long[rows + 1];
    for (int i = 0; i < rows; i++) {
      pointers[i + 1] = pointers[i] + random.nextInt(2 * mean + 1);
    }
    int nnz = (int) pointers[rows];
    int[] columns = random.ints(nnz, 0, cols).toArray();
    return CsrMatrix.of(arena, cols, pointers, columns, values ? values(nnz, random) : null);
  }

  /// A square matrix whose row 17 holds half the entries and whose first columns are the busiest.
  private CsrMatrix skewed(int n, int nnz, int seed) {
    Random random = new Random(seed);
    long[] pointers = new long[n + 1];
    for (int e = 0; e < nnz; e++) {
      pointers[1 + (random.nextBoolean() ? 17 : random.nextInt(n))]++;
    }
    for (int i = 0; i < n; i++) {
      pointers[i + 1] += pointers[i];
    }
    int[] columns = new int[nnz];
    for (int e = 0; e < nnz; e++) {
      columns[e] = (int) (n * Math.pow(random.nextDouble(), 3));
    }
    return CsrMatrix.of(arena, n, pointers, columns, null);
  }

  /// A square matrix of 600 rows, every seventh empty, whose row 17 is longer than a block and two
  /// thirds of whose entries are in a twelfth of the columns.
  private CsrMatrix steep(boolean values, boolean row, boolean column) {
    Random random = new Random(5);
    long[] pointers = new long[601];
    for (int i = 0; i < 600; i++) {
      int length = i == 17 ? 6000 : i % 7 == 0 ? 0 : random.nextInt(12);
      pointers[i + 1] = pointers[i] + length;
    }
    int[] columns = new int[(int) pointers[600]];
    for (int e = 0; e < columns.length; e++) {
      columns[e] = 599 - (int) (600 * Math.pow(random.nextDouble(), 6));
    }
    CsrMatrix a =
        CsrMatrix.of(arena, 600, pointers, columns, values ? values(columns.length, random) : null);
    return a.withScales(row ? vector(600, 6) : null, column ? vector(600, 7) : null);
  }

  private DenseMatrix matrix(int rows, int cols, int seed) {
    Random random = new Random(seed);
    DenseMatrix matrix = DenseMatrix.allocate(arena, rows, cols);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        matrix.set(i, j, random.nextFloat() - 0.5f);
      }
    }
    return matrix;
  }

  private MemorySegment vector(int length, int seed) {
    return floats(values(length, new Random(seed)));
  }

  private MemorySegment floats(float... values) {
    return arena.allocateFrom(ValueLayout.JAVA_FLOAT, values);
  }

  private static float[] values(int length, Random random) {
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = 0.1f + random.nextFloat();
    }
    return values;
  }

  private static float[][] filled(int rows, int cols, float value) {
    float[][] filled = new float[rows][cols];
    for (float[] row : filled) {
      Arrays.fill(row, value);
    }
    return filled;
  }
}
