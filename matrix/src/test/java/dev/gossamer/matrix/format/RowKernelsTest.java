package dev.gossamer.matrix.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ColumnSums;
import dev.gossamer.matrix.dense.Samples;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// [ColumnSums] and [RowGather].
class RowKernelsTest {
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 129, 5003})
  void sumsColumns(int rows) {
    Samples.widths()
        .forEach(cols -> {
          DenseMatrix x = Samples.random(arena, rows, cols, rows);
          MemorySegment one = arena.allocate(cols * 4L);
          MemorySegment three = arena.allocate(cols * 4L);
          try (Workers w = new Workers(1);
              Workers w3 = new Workers(3)) {
            ColumnSums.of(x, one, w);
            ColumnSums.of(x, three, w3);
          }
          assertThat(one.mismatch(three)).isEqualTo(-1);
          for (int j = 0; j < cols; j++) {
            double sum = 0;
            for (int i = 0; i < rows; i++) {
              sum += x.get(i, j);
            }
            assertThat((double) one.getAtIndex(ValueLayout.JAVA_FLOAT, j))
                .isCloseTo(sum, within((double) rows * rows * 0x1p-24));
          }
        });
  }

  @Test
  void columnSumsKeepNotANumberInItsColumn() {
    DenseMatrix x = Samples.random(arena, 10, 3, 1);
    x.set(4, 1, Float.NaN);
    MemorySegment sums = arena.allocate(12);
    try (Workers w = new Workers(1)) {
      ColumnSums.of(x, sums, w);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ColumnSums.of(x, sums.asSlice(0, 8), w))
          .withMessage("column sums: x is 10 x 3 but the result has 2 floats");
    }
    assertThat(sums.getAtIndex(ValueLayout.JAVA_FLOAT, 0)).isNotNaN();
    assertThat(sums.getAtIndex(ValueLayout.JAVA_FLOAT, 1)).isNaN();
    assertThat(sums.getAtIndex(ValueLayout.JAVA_FLOAT, 2)).isNotNaN();
  }

  @Test
  void gathersAndScattersRows() {
    int[] ids = new Random(2).ints(3000, 0, 41).toArray();
    Samples.widths()
        .forEach(cols -> {
          DenseMatrix x = Samples.random(arena, 41, cols, 3);
          DenseMatrix y = Samples.random(arena, ids.length, cols, 4);
          DenseMatrix back = Samples.random(arena, 41, cols, 5);
          float[][] expected = back.toArray();
          try (Workers w = new Workers(3)) {
            RowGather.gather(x, ids, y, w);
            RowGather.scatterAdd(y, ids, back, w);
          }
          for (int i = 0; i < ids.length; i++) {
            for (int j = 0; j < cols; j++) {
              if (y.get(i, j) != x.get(ids[i], j)) {
                assertThat(y.get(i, j)).as("(%d, %d)", i, j).isEqualTo(x.get(ids[i], j));
              }
              expected[ids[i]][j] += x.get(ids[i], j);
            }
          }
          assertThat(back.toArray()).isDeepEqualTo(expected);
        });
  }

  @Test
  void gatherRefusesWhatDoesNotFit() {
    DenseMatrix x = Samples.random(arena, 4, 3, 1);
    DenseMatrix y = Samples.random(arena, 2, 3, 1);
    try (Workers w = new Workers(1)) {
      RowGather.gather(x, new int[0], DenseMatrix.allocate(arena, 0, 3), w);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> RowGather.gather(x, new int[] {1, 2, 3}, y, w))
          .withMessageContaining("y is 2 x 3 and there are 3 ids");
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> RowGather.gather(x, new int[] {1, 4}, y, w))
          .withMessage("gather: id 1 is 4 but the matrix is 4 x 3");
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> RowGather.scatterAdd(y, new int[] {0, -1}, x, w))
          .withMessage("scatter-add: id 1 is -1 but the matrix is 4 x 3");
    }
  }

  /// Rows of all widths go from anywhere to anywhere, and what is no target stays.
  @Test
  void movesRows() {
    Random random = new Random(8);
    int[] from = random.ints(3000, 0, 70).toArray();
    int[] to = random.ints(0, 4000).distinct().limit(3000).toArray();
    Samples.widths()
        .forEach(cols -> {
          DenseMatrix x = Samples.random(arena, 70, cols, cols);
          DenseMatrix y = DenseMatrix.allocate(arena, 4000, cols);
          y.fill(9);
          float[][] expected = y.toArray();
          float[][] rows = x.toArray();
          for (int k = 0; k < from.length; k++) {
            expected[to[k]] = rows[from[k]];
          }
          try (Workers w = new Workers(3)) {
            RowGather.move(x, from, y, to, w);
          }
          assertThat(y.toArray()).isDeepEqualTo(expected);
        });
  }

  @Test
  void whatCannotBeMovedIsNamed() {
    DenseMatrix x = Samples.random(arena, 5, 2, 1);
    DenseMatrix y = Samples.random(arena, 4, 2, 1);
    try (Workers w = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> RowGather.move(x, new int[3], y, new int[2], w))
          .withMessageContaining("there are 3 ids");
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> RowGather.move(x, new int[] {5}, y, new int[1], w))
          .withMessage("move: id 0 is 5 but the matrix is 5 x 2");
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> RowGather.move(x, new int[1], y, new int[] {-1}, w))
          .withMessage("move: id 0 is -1 but the matrix is 4 x 2");
    }
  }
}
