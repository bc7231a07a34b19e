package dev.gossamer.matrix.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryDropoutTest {
  private static final EntryDropout DROPOUT = new EntryDropout(7, 0.3f);
  private static final RowIds SAME = RowIds.from(0);

  /// A matrix with empty rows, rows longer than a vector, and a diagonal.
  private static CsrMatrix matrix(Arena arena, int n, boolean valued) {
    Random random = new Random(3);
    MemorySegment pointers = arena.allocate((n + 1L) * Long.BYTES, Long.BYTES);
    MemorySegment columns = arena.allocate((long) n * n * Integer.BYTES, Long.BYTES);
    MemorySegment values = arena.allocate((long) n * n * Float.BYTES, Long.BYTES);
    long nnz = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n && i % 4 != 1; j++) {
        if (i == j || random.nextInt(i % 3 + 1) == 0) {
          columns.setAtIndex(ValueLayout.JAVA_INT, nnz, j);
          values.setAtIndex(ValueLayout.JAVA_FLOAT, nnz++, random.nextFloat());
        }
      }
      pointers.setAtIndex(ValueLayout.JAVA_LONG, i + 1L, nnz);
    }
    return CsrMatrix.wrap(
        n,
        n,
        pointers,
        columns.asSlice(0, nnz * Integer.BYTES),
        valued ? values.asSlice(0, nnz * Float.BYTES) : null);
  }

  private static MemorySegment floats(Arena arena, long count) {
    MemorySegment floats = arena.allocate(count * Float.BYTES, Long.BYTES);
    for (long i = 0; i < count; i++) {
      floats.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) (1 + i % 7));
    }
    return floats;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eachEntryFollowsTheDefinition(boolean valued) {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(3)) {
      int n = 300;
      CsrMatrix a = matrix(arena, n, valued).withScales(null, floats(arena, n));
      int[] ids = new Random(5).ints(0, Integer.MAX_VALUE).distinct().limit(n).toArray();
      MemorySegment out = arena.allocate(a.nnz() * Float.BYTES, Long.BYTES);
      RowIds vertices = RowIds.of(ids);
      DROPOUT.apply(a, 9, vertices, vertices, DROPOUT.scaled(), out, workers);
      for (int i = 0; i < n; i++) {
        for (long e = a.rowPointer(i); e < a.rowPointer(i + 1L); e++) {
          int j = a.column(e);
          float weight = a.value(e) * a.columnScale(j);
          float kept = DROPOUT.keeps(9, ids[j], ids[i]) ? DROPOUT.scale() * weight : 0;
          assertThat(out.getAtIndex(ValueLayout.JAVA_FLOAT, e)).isEqualTo(i == j ? weight : kept);
        }
      }
    }
  }

  @Test
  void outcomesReplaceValues() {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      CsrMatrix a = matrix(arena, 40, true);
      MemorySegment out = arena.allocate(a.nnz() * Float.BYTES, Long.BYTES);
      DROPOUT.apply(a, 2, SAME, SAME, new EntryDropout.Outcome(2, 3, -1), out, workers);
      for (int i = 0; i < 40; i++) {
        for (long e = a.rowPointer(i); e < a.rowPointer(i + 1L); e++) {
          boolean kept = DROPOUT.keeps(2, i, a.column(e));
          float expected = a.column(e) == i ? 3 * a.value(e) : kept ? 2 * a.value(e) : -1;
          assertThat(out.getAtIndex(ValueLayout.JAVA_FLOAT, e)).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void bothDirectionsAreDroppedTogetherAndTheDiagonalNever() {
    for (int u = 0; u < 50; u++) {
      assertThat(DROPOUT.keeps(1, u, u)).isTrue();
      for (int v = 0; v < u; v++) {
        assertThat(DROPOUT.keeps(1, u, v)).isEqualTo(DROPOUT.keeps(1, v, u));
      }
    }
  }

  /// Of `m` edges, the share that is dropped has the deviation `sqrt(p (1 - p) / m)`; both of
  /// another step and of another seed are independent, `p^2` of both.
  @Test
  void theRateIsThatOfEdgesStepsAndSeeds() {
    EntryDropout other = new EntryDropout(8, 0.3f);
    int dropped = 0;
    int bothSteps = 0;
    int bothSeeds = 0;
    int edges = 0;
    for (int u = 0; u < 400; u++) {
      for (int v = 0; v < u; v++, edges++) {
        boolean drops = !DROPOUT.keeps(3, u, v);
        dropped += drops ? 1 : 0;
        bothSteps += drops && !DROPOUT.keeps(4, u, v) ? 1 : 0;
        bothSeeds += drops && !other.keeps(3, u, v) ? 1 : 0;
      }
    }
    assertShare(dropped, edges, 0.3);
    assertShare(bothSteps, edges, 0.09);
    assertShare(bothSeeds, edges, 0.09);
  }

  private static void assertShare(int count, int of, double p) {
    assertThat((double) count / of).isCloseTo(p, within(4 * Math.sqrt(p * (1 - p) / of)));
  }

  @Test
  void productsFollowEachDraw() {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(2)) {
      int n = 60;
      CsrMatrix a = matrix(arena, n, true).withScales(floats(arena, n), floats(arena, n));
      DroppedSpmm product = new DroppedSpmm(arena, a, SAME, SAME, DROPOUT);
      DenseMatrix x = DenseMatrix.allocate(arena, n, 3);
      x.fill(1);
      DenseMatrix y = DenseMatrix.allocate(arena, n, 3);
      for (long step : new long[] {0, 5}) {
        product.draw(step, workers);
        product.spmm().multiply(x, y, workers, RowEpilogue.NONE);
        for (int i = 0; i < n; i++) {
          double sum = 0;
          for (long e = a.rowPointer(i); e < a.rowPointer(i + 1L); e++) {
            int j = a.column(e);
            double factor = i == j ? 1 : DROPOUT.keeps(step, i, j) ? 1 / 0.7 : 0;
            sum += factor * a.value(e) * a.columnScale(j) * a.rowScale(i);
          }
          // At most n terms of at most 49, with a rate in float32.
          assertThat((double) y.get(i, 2))
              .isCloseTo(sum, within(49 * n * n * (double) Math.ulp(1f)));
        }
      }
      assertThat(DroppedSpmm.bytes(a.nnz())).isEqualTo(4 * a.nnz());
    }
  }

  @Test
  void ratesAndRoomAreChecked() {
    assertThatThrownBy(() -> new EntryDropout(1, 1))
        .hasMessage("edge dropout: expected a rate of at least 0 and less than 1, found 1.0");
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      CsrMatrix a = matrix(arena, 4, false);
      MemorySegment small = arena.allocate(4);
      assertThatThrownBy(() -> DROPOUT.apply(a, 0, SAME, SAME, DROPOUT.scaled(), small, workers))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("the result has room for 1");
    }
  }
}
