package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class VectorProductsTest {
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  static IntStream widths() {
    return IntStream.concat(Samples.widths(), IntStream.of(1500));
  }

  @ParameterizedTest
  @MethodSource("widths")
  void aRowHasTheBitsOfAProductOfManyRows(int k) {
    for (int n : widths().toArray()) {
      DenseMatrix x = Samples.random(arena, 1, k, 1);
      DenseMatrix b = Samples.random(arena, k, n, 2);
      DenseMatrix bias = Samples.random(arena, 1, n, 3);
      DenseMatrix expected = DenseMatrix.allocate(arena, 1, n);
      try (Workers w = new Workers(2)) {
        Matmul.java().multiply(x, b, expected, w, Epilogues.bias(bias.data()));
        DenseMatrix y = Samples.random(arena, 1, n, 4);
        VectorProducts.multiply(x, b, y, w, Epilogues.bias(bias.data()));
        assertThat(y.data().mismatch(expected.data())).as("%d x %d", k, n).isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("widths")
  void dotProductsErrByTheirLength(int k) {
    int n = 131;
    DenseMatrix x = Samples.random(arena, 1, k, 1);
    DenseMatrix b = Samples.random(arena, n, k, 2);
    DenseMatrix one = Samples.random(arena, 1, n, 3);
    DenseMatrix three = Samples.random(arena, 1, n, 4);
    try (Workers w = new Workers(1);
        Workers more = new Workers(3)) {
      VectorProducts.multiplyTransposed(x, b, one, w, RowEpilogue.NONE);
      VectorProducts.multiplyTransposed(x, b, three, more, RowEpilogue.NONE);
    }
    assertThat(one.data().mismatch(three.data())).isEqualTo(-1);
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int i = 0; i < k; i++) {
        sum += (double) x.get(0, i) * b.get(j, i);
      }
      // Terms are at most 1.
      assertThat(Math.abs(one.get(0, j) - sum)).isLessThan(k * k * 0x1p-24 + 0x1p-30);
    }
  }

  @Test
  void shapesThatDoNotFitAreRefused() {
    try (Workers w = new Workers(1)) {
      DenseMatrix two = DenseMatrix.allocate(arena, 2, 3);
      DenseMatrix b = DenseMatrix.allocate(arena, 3, 4);
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              VectorProducts.multiply(
                  two, b, DenseMatrix.allocate(arena, 2, 4), w, RowEpilogue.NONE))
          .withMessage("vector product: expected a vector of one row, found 2 rows");
    }
  }
}
