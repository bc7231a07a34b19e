package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.format.StoredMatrix;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StoredProductsTest {
  /// m, k, n: ragged edges of every kind, and more than is packed at a time.
  private static final int[][] SHAPES = {
    {1, 1, 1}, {19, 3, 67}, {5, 17, 16}, {33, 64, 1}, {16, 40, 129}, {7, 1030, 1100}
  };

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  private StoredMatrix stored(DenseMatrix x, NumberFormat format) {
    StoredMatrix stored =
        new StoredMatrix(
            arena.allocate(StoredMatrix.bytes(x.rows(), x.cols(), format), 64),
            x.rows(),
            x.cols(),
            format);
    format.narrow(x.data(), stored.data());
    return stored;
  }

  @ParameterizedTest
  @EnumSource
  void multipliesAsIfItWereWidened(NumberFormat format) {
    try (Workers workers = new Workers(2)) {
      for (int[] s : SHAPES) {
        DenseMatrix a = Samples.random(arena, s[0], s[1], 1);
        StoredMatrix b = stored(Samples.random(arena, s[1], s[2], 2), format);
        DenseMatrix c = Samples.random(arena, s[0], s[2], 3);
        StoredProducts.multiply(a, b, c, workers, RowEpilogue.NONE);
        for (int i = 0; i < s[0]; i++) {
          for (int j = 0; j < s[2]; j++) {
            double sum = 0;
            double size = 0;
            for (int p = 0; p < s[1]; p++) {
              double term = (double) a.get(i, p) * format.get(b.data(), (long) p * s[2] + j);
              sum += term;
              size += Math.abs(term);
            }
            assertThat((double) c.get(i, j)).isCloseTo(sum, within(s[1] * 0x1p-24 * size));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void multipliesWithTheTransposedAsIfItWereWidened(NumberFormat format) {
    try (Workers workers = new Workers(2)) {
      for (int[] s : SHAPES) {
        DenseMatrix a = Samples.random(arena, s[0], s[1], 4);
        StoredMatrix b = stored(Samples.random(arena, s[2], s[1], 5), format);
        DenseMatrix c = Samples.random(arena, s[0], s[2], 6);
        StoredProducts.multiplyTransposed(a, b, c, workers, RowEpilogue.NONE);
        for (int i = 0; i < s[0]; i++) {
          for (int j = 0; j < s[2]; j++) {
            double sum = 0;
            double size = 0;
            for (int p = 0; p < s[1]; p++) {
              double term = (double) a.get(i, p) * format.get(b.data(), (long) j * s[1] + p);
              sum += term;
              size += Math.abs(term);
            }
            assertThat((double) c.get(i, j)).isCloseTo(sum, within(s[1] * 0x1p-24 * size));
          }
        }
      }
    }
  }

  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    DenseMatrix a = Samples.random(arena, 200, 300, 7);
    StoredMatrix b = stored(Samples.random(arena, 300, 90, 8), NumberFormat.FP16);
    DenseMatrix one = DenseMatrix.allocate(arena, 200, 90);
    DenseMatrix three = DenseMatrix.allocate(arena, 200, 90);
    try (Workers single = new Workers(1);
        Workers team = new Workers(3)) {
      StoredProducts.multiply(a, b, one, single, RowEpilogue.NONE);
      StoredProducts.multiply(a, b, three, team, RowEpilogue.NONE);
    }
    assertThat(one.data().mismatch(three.data())).isEqualTo(-1);
  }

  @Test
  void refusesShapesThatDoNotFit() {
    DenseMatrix a = Samples.random(arena, 2, 3, 1);
    StoredMatrix b = stored(Samples.random(arena, 4, 5, 2), NumberFormat.BF16);
    DenseMatrix c = DenseMatrix.allocate(arena, 2, 5);
    try (Workers workers = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> StoredProducts.multiply(a, b, c, workers, RowEpilogue.NONE))
          .withMessage("matmul: a is 2 x 3 but b is 4 x 5; b needs 3 rows");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StoredMatrix(b.data(), 4, 4, NumberFormat.BF16))
        .withMessageContaining("needs 32 bytes but the segment has 40");
  }
}
