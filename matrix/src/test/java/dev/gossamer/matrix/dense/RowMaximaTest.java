package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RowMaximaTest {
  private static final int ROWS = 53;
  private static final int MATRICES = 4;

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  private List<DenseMatrix> matrices(int width) {
    return IntStream.range(0, MATRICES)
        .mapToObj(m -> Samples.random(arena, ROWS + m, width, 10 + m))
        .toList();
  }

  /// Maxima of memory that was used before.
  private DenseMatrix maxima(List<DenseMatrix> of) {
    int width = of.getFirst().cols();
    DenseMatrix maxima = Samples.random(arena, ROWS, RowMaxima.columns(width), 3);
    maxima.fill(7);
    try (Workers workers = new Workers(3)) {
      for (int m = 0; m < of.size(); m++) {
        Epilogues.apply(RowMaxima.take(of.get(m), m), maxima, workers);
      }
    }
    return maxima;
  }

  @Test
  void greatestElementsAreTakenWithTheNumbersOfTheirMatrices() {
    Samples.widths()
        .forEach(width -> {
          List<DenseMatrix> matrices = matrices(width);
          DenseMatrix maxima = maxima(matrices);
          for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < width; j++) {
              int first = 0;
              for (int m = 1; m < MATRICES; m++) {
                first = matrices.get(m).get(i, j) > matrices.get(first).get(i, j) ? m : first;
              }
              assertThat(maxima.get(i, j)).isEqualTo(matrices.get(first).get(i, j));
              assertThat(maxima.get(i, width + j)).isEqualTo(first);
            }
          }
        });
  }

  @Test
  void ofEqualElementsTheEarlierCountsAndNaNIsGreaterThanAll() {
    DenseMatrix first = DenseMatrix.of(arena, new float[][] {{0f, Float.NaN, 1f, -2f}});
    DenseMatrix second = DenseMatrix.of(arena, new float[][] {{0f, 5f, Float.NaN, -1f}});
    DenseMatrix third = DenseMatrix.of(arena, new float[][] {{-0f, 9f, 3f, -3f}});
    DenseMatrix maxima = DenseMatrix.allocate(arena, 1, 8);
    RowMaxima.take(first, 0).apply(maxima, 0, 1);
    RowMaxima.take(second, 1).apply(maxima, 0, 1);
    RowMaxima.take(third, 2).apply(maxima, 0, 1);
    assertThat(maxima.toArray()[0]).containsExactly(0f, Float.NaN, Float.NaN, -1f, 0f, 0f, 1f, 1f);
  }

  @Test
  void eachMatrixGetsTheGradientOfItsElements() {
    Samples.widths()
        .forEach(width -> {
          DenseMatrix maxima = maxima(matrices(width));
          for (int m = 0; m < MATRICES; m++) {
            DenseMatrix y = Samples.random(arena, ROWS, width, 20 + m);
            float[][] before = y.toArray();
            RowMaxima.addTaken(maxima, m).apply(y, 2, ROWS - 1);
            for (int i = 0; i < ROWS; i++) {
              for (int j = 0; j < width; j++) {
                boolean adds = i >= 2 && i < ROWS - 1 && maxima.get(i, width + j) == m;
                assertThat(y.get(i, j)).isEqualTo(before[i][j] + (adds ? maxima.get(i, j) : 0));
              }
            }
          }
        });
  }

  @Test
  void refusesOtherShapes() {
    DenseMatrix maxima = DenseMatrix.allocate(arena, 3, 8);
    DenseMatrix wide = DenseMatrix.allocate(arena, 3, 5);
    DenseMatrix shorter = DenseMatrix.allocate(arena, 2, 4);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RowMaxima.take(wide, 0).apply(maxima, 0, 3))
        .withMessage("maxima: they are 3 x 8 but a matrix is 3 x 5");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RowMaxima.take(shorter, 0).apply(maxima, 0, 3))
        .withMessage("maxima: they are 3 x 8 but a matrix is 2 x 4");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RowMaxima.addTaken(maxima, 0).apply(wide, 0, 3))
        .withMessage("maxima: they are 3 x 8 but a matrix is 3 x 5");
    RowMaxima.addTaken(maxima, 0).apply(shorter, 0, 2);
  }
}
