package dev.gossamer.matrix.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpgemmTest {
  private static final double EPSILON = Math.ulp(1f);

  private final Arena arena = Arena.ofAuto();

  /// Sparse enough for lists (3 terms a row), dense enough for dense rows, and between them, where
  /// terms are more than 32 and fewer than a 64th of the columns.
  @ParameterizedTest
  @CsvSource({
    "1, 1, 1, 1, 1",
    "40, 30, 20, 2, 2",
    "50, 60, 70, 9, 9",
    "70, 400, 20000, 5, 20",
    "70, 400, 64000, 12, 80",
    "300, 500, 129, 4, 30"
  })
  void equalsTheSumOfOuterTerms(int m, int k, int n, int meanA, int meanB) {
    for (int kind = 0; kind < 8; kind++) {
      CsrMatrix a = random(m, k, meanA, (kind & 1) != 0, 3 * kind);
      CsrMatrix b = random(k, n, meanB, (kind & 2) != 0, 3 * kind + 1);
      if ((kind & 4) != 0) {
        a = a.withScales(vector(m, 1), vector(k, 2));
        b = b.withScales(vector(k, 3), vector(n, 4));
      }
      agrees(a, b);
    }
  }

  @Test
  void oneHugeRowAmongEmptyOnes() {
    int n = 5000;
    long[] pointers = new long[n + 1];
    Arrays.fill(pointers, 18, n + 1, 3000);
    int[] columns = new Random(5).ints(3000, 0, n).toArray();
    CsrMatrix a = CsrMatrix.of(arena, n, pointers, columns, null);
    agrees(a, random(n, n, 40, true, 6));
  }

  @Test
  void emptyMatricesHaveEmptyProducts() {
    CsrMatrix none = CsrMatrix.of(arena, 4, new long[1], new int[0], null);
    CsrMatrix empty = CsrMatrix.of(arena, 3, new long[5], new int[0], null);
    CsrMatrix c = product(none, empty, 2);
    assertThat(c).hasToString("0 x 3 with 0 entries");
    assertThat(product(empty, CsrMatrix.of(arena, 9, new long[4], new int[0], null), 2))
        .hasToString("4 x 9 with 0 entries");
  }

  @Test
  void copiesOfRowsOfAPatternAreAPattern() {
    CsrMatrix b = canonical(30, 1000, 12, 2);
    int[] chosen = {7, 7, 0, 29, 13};
    CsrMatrix a =
        CsrMatrix.of(arena, 30, IntStream.rangeClosed(0, 5).asLongStream().toArray(), chosen, null);
    CsrMatrix c = product(a, b, 2);
    assertThat(c.values()).isNull();
    for (int i = 0; i < chosen.length; i++) {
      assertThat(c.rowColumns(i)).containsExactly(b.rowColumns(chosen[i]));
    }
    agrees(a, b);
    agrees(a.withScales(vector(5, 1), vector(30, 2)), b.withScales(vector(30, 3), null));
  }

  @ParameterizedTest
  @CsvSource({"50, 60, 70", "300, 400, 40000", "600, 600, 600"})
  void threadsDoNotChangeABit(int m, int k, int n) {
    CsrMatrix a = random(m, k, 20, true, 1);
    Spgemm spgemm = new Spgemm(random(k, n, 50, true, 2));
    CsrMatrix one = product(spgemm, a, 1);
    CsrMatrix three = product(spgemm, a, 3);
    assertThat(bytes(three.rowPointers())).isEqualTo(bytes(one.rowPointers()));
    assertThat(bytes(three.columns())).isEqualTo(bytes(one.columns()));
    assertThat(bytes(three.values())).isEqualTo(bytes(one.values()));
  }

  @Test
  void shapesAndColumnsThatDoNotFitAreNamed() {
    CsrMatrix b = CsrMatrix.of(arena, 5, new long[] {0, 1, 1}, new int[] {4}, null);
    CsrMatrix wide = CsrMatrix.of(arena, 3, new long[] {0, 1}, new int[] {2}, null);
    CsrMatrix wrong = CsrMatrix.of(arena, 2, new long[] {0, 1}, new int[] {2}, null);
    assertThatThrownBy(() -> product(wide, b, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "spgemm: a is 1 x 3 with 1 entries but b is 2 x 5 with 1 entries; a needs 2 columns"
                + " and fewer than 2^31 rows");
    assertThatThrownBy(() -> product(wrong, b, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("spgemm: a is 1 x 2 with 1 entries; column id 0: expected 0..1, found 2");
    assertThatThrownBy(() -> new Spgemm(wrong))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("spgemm: b is 1 x 2 with 1 entries; column id 0: expected 0..1, found 2");
  }

  /// An entry of the product is a sum of as many rounded products of at most four factors as it has
  /// terms, times two scales.
  private void agrees(CsrMatrix a, CsrMatrix b) {
    CsrMatrix c = product(a, b, 2);
    assertThat(c.rows()).isEqualTo(a.rows());
    assertThat(c.cols()).isEqualTo(b.cols());
    assertThat(c.isCanonical()).isTrue();
    for (int i = 0; i < a.rows(); i++) {
      Map<Integer, double[]> row = new TreeMap<>();
      for (long e = a.rowPointer(i); e < a.rowPointer(i + 1L); e++) {
        int k = a.column(e);
        for (long f = b.rowPointer(k); f < b.rowPointer(k + 1L); f++) {
          double term = coefficient(a, i, e) * coefficient(b, k, f);
          double[] sum = row.computeIfAbsent(b.column(f), column -> new double[2]);
          sum[0] += term;
          sum[1]++;
        }
      }
      assertThat(c.rowColumns(i))
          .containsExactly(row.keySet().stream().mapToInt(Integer::intValue).toArray());
      for (long e = c.rowPointer(i); e < c.rowPointer(i + 1L); e++) {
        double[] sum = Objects.requireNonNull(row.get(c.column(e)));
        assertThat(coefficient(c, i, e)).isCloseTo(sum[0], within(EPSILON * (sum[1] + 4) * sum[0]));
      }
    }
  }

  private CsrMatrix product(CsrMatrix a, CsrMatrix b, int threads) {
    return product(new Spgemm(b), a, threads);
  }

  private static CsrMatrix product(Spgemm spgemm, CsrMatrix a, int threads) {
    try (Workers workers = new Workers(threads)) {
      return spgemm.multiply(Arena.ofAuto(), a, workers);
    }
  }

  private static double coefficient(CsrMatrix a, long row, long entry) {
    MemorySegment r = a.rowScale();
    MemorySegment c = a.columnScale();
    return (double) a.value(entry)
        * (r == null ? 1 : r.getAtIndex(ValueLayout.JAVA_FLOAT, row))
        * (c == null ? 1 : c.getAtIndex(ValueLayout.JAVA_FLOAT, a.column(entry)));
  }

  private static byte[] bytes(@Nullable MemorySegment segment) {
    return Objects.requireNonNull(segment).toArray(ValueLayout.JAVA_BYTE);
  }

  /// Rows of 0 to twice `mean` entries, unsorted and with duplicates; every fifth is empty.
  private CsrMatrix random(int rows, int cols, int mean, boolean values, int seed) {
    Random random = new Random(seed);
    long[] pointers = new long[rows + 1];
    for (int i = 0; i < rows; i++) {
      pointers[i + 1] = pointers[i] + (i % 5 == 3 ? 0 : random.nextInt(2 * mean + 1));
    }
    int nnz = (int) pointers[rows];
    int[] columns = random.ints(nnz, 0, cols).toArray();
    return CsrMatrix.of(arena, cols, pointers, columns, values ? positive(nnz, seed) : null);
  }

  private CsrMatrix canonical(int rows, int cols, int mean, int seed) {
    Random random = new Random(seed);
    int[][] chosen = new int[rows][];
    long[] pointers = new long[rows + 1];
    for (int i = 0; i < rows; i++) {
      chosen[i] = random.ints(random.nextInt(2 * mean), 0, cols).sorted().distinct().toArray();
      pointers[i + 1] = pointers[i] + chosen[i].length;
    }
    int[] columns = Arrays.stream(chosen).flatMapToInt(Arrays::stream).toArray();
    return CsrMatrix.of(arena, cols, pointers, columns, null);
  }

  private MemorySegment vector(int length, int seed) {
    return arena.allocateFrom(ValueLayout.JAVA_FLOAT, positive(length, seed));
  }

  private static float[] positive(int length, int seed) {
    Random random = new Random(seed + 100L);
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = 0.1f + random.nextFloat();
    }
    return values;
  }
}
