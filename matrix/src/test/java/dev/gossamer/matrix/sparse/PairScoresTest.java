package dev.gossamer.matrix.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PairScoresTest {
  private final Arena arena = Arena.ofShared();
  private final SplittableRandom random = new SplittableRandom(3);

  @AfterEach
  void close() {
    arena.close();
  }

  private DenseMatrix matrix(int rows, int cols) {
    DenseMatrix m = DenseMatrix.allocate(arena, rows, cols);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        m.set(i, j, (float) random.nextDouble(-1, 1));
      }
    }
    return m;
  }

  /// Rows of different lengths, one of them longer than what is looked at in one go.
  private CsrMatrix pairs(int rows, int cols) {
    long[] pointers = new long[rows + 1];
    for (int i = 0; i < rows; i++) {
      pointers[i + 1] = pointers[i] + (i == 3 ? 10_000 : random.nextInt(40));
    }
    int[] columns = new int[(int) pointers[rows]];
    for (int e = 0; e < columns.length; e++) {
      columns[e] = random.nextInt(cols);
    }
    return CsrMatrix.of(arena, cols, pointers, columns, null);
  }

  private float[] scores(CsrMatrix pairs, DenseMatrix x, DenseMatrix y, int threads) {
    MemorySegment scores = arena.allocate(ValueLayout.JAVA_FLOAT, pairs.nnz());
    try (Workers w = new Workers(threads)) {
      PairScores.of(pairs, x, y, scores, w);
    }
    return scores.toArray(ValueLayout.JAVA_FLOAT);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 16, 33, 64, 100})
  void scoresAreDotProductsForAnyNumberOfThreads(int width) {
    DenseMatrix x = matrix(50, width);
    DenseMatrix y = matrix(80, width);
    CsrMatrix pairs = pairs(50, 80);
    float[] scores = scores(pairs, x, y, 1);
    assertThat(scores(pairs, x, y, 3)).isEqualTo(scores);
    for (int i = 0; i < 50; i++) {
      for (long e = pairs.rowPointer(i); e < pairs.rowPointer(i + 1); e++) {
        double sum = 0;
        for (int j = 0; j < width; j++) {
          sum += (double) x.get(i, j) * y.get(pairs.column(e), j);
        }
        // Each of `width` products and sums of numbers below 1 is rounded.
        assertThat(scores[(int) e]).isCloseTo((float) sum, within(width * width * 0x1p-23f));
      }
    }
  }

  @Test
  void bothDirectionsOfAPairHaveTheSameScore() {
    DenseMatrix x = matrix(30, 37);
    CsrMatrix pairs = pairs(30, 30);
    CsrMatrix reversed = pairs.transpose(arena);
    float[] scores = scores(pairs, x, x, 2);
    float[] mirrored = scores(reversed, x, x, 2);
    for (int i = 0; i < 30; i++) {
      for (long e = pairs.rowPointer(i); e < pairs.rowPointer(i + 1); e++) {
        long r = reversed.rowPointer(pairs.column(e));
        while (reversed.column(r) != i) {
          r++;
        }
        assertThat(mirrored[(int) r]).isEqualTo(scores[(int) e]);
      }
    }
  }

  @Test
  void shapesAreChecked() {
    CsrMatrix pairs = pairs(5, 6);
    DenseMatrix x = matrix(5, 4);
    assertThatThrownBy(() -> scores(pairs, x, matrix(6, 3), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("scores: expected 4 width, found 3");
    assertThatThrownBy(() -> scores(pairs, x, matrix(7, 4), 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
