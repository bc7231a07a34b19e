package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.random.Philox;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DropoutTest {
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  /// The definition in the Javadoc, written out on single Philox draws.
  private static boolean kept(Dropout d, long step, long row, int col, int cols) {
    long e = row * cols + col;
    int q = (int) (e % 64);
    long counter = 8 * (e / 64) + q % 16 / 2;
    Philox philox = Philox.keyed(d.seed(), d.stream(), step);
    int c1 = (int) (counter >>> 32);
    long pair = q < 32 ? philox.low((int) counter, c1, 0, 0) : philox.high((int) counter, c1, 0, 0);
    long word = q % 2 == 0 ? pair & 0xFFFFFFFFL : pair >>> 32;
    long draw = q / 16 % 2 == 0 ? word & 0xFFFF : word >>> 16;
    return draw >= Math.round(d.rate() * 65536);
  }

  @Test
  void aRateJustBelowOneDropsNearlyAll() {
    Dropout dropout = new Dropout(11, 2, Math.nextDown(1f));
    assertThat(dropout.scale()).isEqualTo(0x1p16f);
    DenseMatrix y = DenseMatrix.allocate(arena, 1000, 64);
    y.fill(1f);
    try (Workers workers = new Workers(1)) {
      dropout.apply(y, 4, RowIds.from(0), workers);
    }
    int kept = 0;
    for (int i = 0; i < 1000; i++) {
      for (int j = 0; j < 64; j++) {
        assertThat(y.get(i, j) != 0).isEqualTo(dropout.keeps(4, i, j, 64));
        kept += y.get(i, j) != 0 ? 1 : 0;
      }
    }
    // One draw in 65,536 is the largest.
    assertThat(kept).isLessThan(8);
  }

  @Test
  void keepsWhatTheDefinitionKeeps() {
    Dropout dropout = new Dropout(11, 2, 0.3f);
    Samples.widths()
        .forEach(cols -> {
          for (long first : new long[] {0, 5, 3_000_000_001L}) {
            for (int threads : new int[] {1, 3}) {
              DenseMatrix y = DenseMatrix.allocate(arena, 301, cols);
              y.fill(2f);
              try (Workers workers = new Workers(threads)) {
                dropout.apply(y, 4, RowIds.from(first), workers);
              }
              for (int i = 0; i < 301; i++) {
                for (int j = 0; j < cols; j++) {
                  boolean kept = kept(dropout, 4, first + i, j, cols);
                  if (y.get(i, j) != (kept ? 2f * dropout.scale() : 0f)) {
                    assertThat(y.get(i, j)).as("(%d, %d) of width %d", i, j, cols).isNaN();
                  }
                  if (dropout.keeps(4, first + i, j, cols) != kept) {
                    assertThat(kept).as("keeps (%d, %d) of width %d", i, j, cols).isNull();
                  }
                }
              }
            }
          }
        });
  }

  @Test
  void doesNotDependOnWhereBlocksBegin() {
    RowEpilogue dropout = new Dropout(1, 0, 0.5f).rows(9, RowIds.from(0));
    RowEpilogue later = new Dropout(1, 0, 0.5f).rows(9, RowIds.from(13));
    DenseMatrix whole = Samples.random(arena, 100, 7, 1);
    DenseMatrix pieces = DenseMatrix.allocate(arena, 100, 7);
    pieces.copyFrom(whole);
    dropout.apply(whole, 0, 100);
    later.apply(pieces.rows(13, 100), 0, 87);
    for (int i = 0; i < 13; i++) {
      dropout.apply(pieces, i, i + 1);
    }
    assertThat(pieces.toArray()).isDeepEqualTo(whole.toArray());
  }

  @Test
  void dropsARowAlikeWhereverItStands() {
    int[] ids = {40, 3, 99, 4, 5, 0};
    Dropout dropout = new Dropout(1, 0, 0.5f);
    for (int cols : new int[] {7, 64, 100}) {
      DenseMatrix whole = Samples.random(arena, 100, cols, 1);
      DenseMatrix some = DenseMatrix.allocate(arena, ids.length, cols);
      for (int i = 0; i < ids.length; i++) {
        some.rows(i, i + 1L).copyFrom(whole.rows(ids[i], ids[i] + 1L));
      }
      dropout.rows(9, RowIds.from(0)).apply(whole, 0, 100);
      dropout.rows(9, RowIds.of(ids)).apply(some, 0, ids.length);
      for (int i = 0; i < ids.length; i++) {
        assertThat(some.toArray()[i]).isEqualTo(whole.toArray()[ids[i]]);
      }
    }
  }

  @Test
  void idsThatFollowEachOtherAreConsecutive() {
    assertThat(RowIds.of(new int[] {7, 8, 9}).consecutive()).isTrue();
    assertThat(RowIds.of(new int[] {7, 8, 9}).id(2)).isEqualTo(9);
    assertThat(RowIds.of(new int[] {7, 9, 8}).consecutive()).isFalse();
    assertThat(RowIds.of(new int[0]).consecutive()).isTrue();
  }

  /// Six standard deviations of a binomial count.
  @ParameterizedTest
  @ValueSource(floats = {0f, 0.1f, 0.5f, 0.9f})
  void dropsAtTheRate(float rate) {
    DenseMatrix y = DenseMatrix.allocate(arena, 4000, 50);
    y.fill(1f);
    try (Workers workers = new Workers(1)) {
      new Dropout(5, 1, rate).apply(y, 0, RowIds.from(0), workers);
    }
    long zeros = 0;
    for (int i = 0; i < 4000; i++) {
      for (int j = 0; j < 50; j++) {
        zeros += y.get(i, j) == 0f ? 1 : 0;
      }
    }
    double n = 200_000;
    double deviation = Math.sqrt(n * rate * (1 - rate)) + n * 0x1p-17;
    assertThat((double) zeros).isCloseTo(n * rate, within(rate == 0 ? 0.0 : 6 * deviation));
  }

  @Test
  void dropsNotANumberToZero() {
    DenseMatrix y = DenseMatrix.allocate(arena, 8, 64);
    y.fill(Float.NaN);
    Dropout dropout = new Dropout(3, 0, 0.5f);
    dropout.rows(0, RowIds.from(0)).apply(y, 0, 8);
    for (int i = 0; i < 8; i++) {
      for (int j = 0; j < 64; j++) {
        assertThat(Float.isNaN(y.get(i, j))).isEqualTo(kept(dropout, 0, i, j, 64));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void dropsStoredEntriesAlikeInBothOrientations(boolean withValues) {
    CsrMatrix x = sparse(withValues);
    CsrMatrix xt = x.transpose(arena);
    Dropout dropout = new Dropout(77, 5, 0.4f);
    long first = 1_000_000_007L;
    MemorySegment values = arena.allocate(x.nnz() * Float.BYTES, 64);
    MemorySegment transposedValues = arena.allocate(x.nnz() * Float.BYTES, 64);
    try (Workers workers = new Workers(2)) {
      dropout.sparse(x, 3, RowIds.from(first), values, workers);
      dropout.sparseTransposed(xt, 3, RowIds.from(first), transposedValues, workers);
    }
    float[][] dropped = x.withValues(values).toDense();
    float[][] transposed = xt.withValues(transposedValues).toDense();
    float[][] original = x.toDense();
    for (int i = 0; i < dropped.length; i++) {
      for (int j = 0; j < x.cols(); j++) {
        boolean kept = kept(dropout, 3, first + i, j, x.cols());
        float expected = kept ? original[i][j] * dropout.scale() : 0f;
        if (dropped[i][j] != expected || transposed[j][i] != expected) {
          assertThat(new float[] {dropped[i][j], transposed[j][i]})
              .as("entry (%d, %d)", i, j)
              .containsOnly(expected);
        }
      }
    }
    assertThat(x.nnz()).isGreaterThan(1 << 14);
  }

  private CsrMatrix sparse(boolean withValues) {
    Random random = new Random(8);
    int rows = 900;
    int cols = 211;
    long[] pointers = new long[rows + 1];
    int[] columns = new int[rows * cols];
    int nnz = 0;
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        if (i % 10 != 3 && random.nextInt(8) == 0) {
          columns[nnz++] = j;
        }
      }
      pointers[i + 1] = nnz;
    }
    float[] values = new float[nnz];
    for (int e = 0; e < nnz; e++) {
      values[e] = 1 + random.nextFloat();
    }
    return CsrMatrix.of(
        arena, cols, pointers, java.util.Arrays.copyOf(columns, nnz), withValues ? values : null);
  }

  @Test
  void emptyMatricesStayEmpty() {
    MemorySegment nothing = arena.allocate(0);
    CsrMatrix x = CsrMatrix.of(arena, 5, new long[] {0, 0, 0}, new int[0], null);
    try (Workers workers = new Workers(1)) {
      new Dropout(1, 1, 0.5f).sparse(x, 0, RowIds.from(0), nothing, workers);
      new Dropout(1, 1, 0.5f).apply(DenseMatrix.allocate(arena, 0, 5), 0, RowIds.from(0), workers);
    }
    assertThat(x.nnz()).isZero();
  }

  @Test
  void refusesRatesAndSizesThatDoNotFit() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Dropout(0, 0, 1f));
    assertThatIllegalArgumentException().isThrownBy(() -> new Dropout(0, 0, -0.1f));
    assertThatIllegalArgumentException().isThrownBy(() -> new Dropout(0, 0, Float.NaN));
    CsrMatrix x = CsrMatrix.of(arena, 5, new long[] {0, 1}, new int[] {2}, null);
    MemorySegment two = arena.allocate(2L * Float.BYTES, ValueLayout.JAVA_FLOAT.byteAlignment());
    try (Workers workers = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Dropout(0, 0, 0.5f).sparse(x, 0, RowIds.from(0), two, workers))
          .withMessageContaining("1 x 5 with 1 entries but the result has room for 2");
    }
  }
}
