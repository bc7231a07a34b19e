package dev.gossamer.matrix.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.Samples;
import java.lang.foreign.Arena;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SparseColumnsTest {
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1", "1, 7, 0.5", "67, 1, 0.3", "67, 1500, 0.1", "300, 67, 0", "67, 300, 1"})
  void agreesWithTheSumsOverTheNonzeros(int k, int n, double density) {
    BitSet kept = new BitSet();
    Random random = new Random(7);
    for (int i = 0; i < k * n; i++) {
      kept.set(i, random.nextDouble() < density);
    }
    DenseMatrix w = Samples.random(arena, k, n, 1);
    DenseMatrix transposed = DenseMatrix.allocate(arena, n, k);
    BitSet across = new BitSet();
    for (int i = 0; i < k; i++) {
      for (int j = 0; j < n; j++) {
        transposed.set(j, i, w.get(i, j));
        across.set(j * k + i, kept.get(i * n + j));
      }
    }
    DenseMatrix x = Samples.random(arena, 3, k, 2);
    DenseMatrix bias = Samples.random(arena, 1, n, 3);
    DenseMatrix y = Samples.random(arena, 3, n, 4);
    DenseMatrix other = Samples.random(arena, 3, n, 5);
    RowEpilogue epilogue = Epilogues.bias(bias.data());
    try (Workers one = new Workers(1);
        Workers three = new Workers(3)) {
      SparseColumns.of(arena, w, kept).multiply(x, y, one, epilogue);
      SparseColumns.ofTransposed(arena, transposed, across).multiply(x, other, three, epilogue);
    }
    assertThat(y.data().mismatch(other.data())).isEqualTo(-1);
    for (int m = 0; m < 3; m++) {
      for (int j = 0; j < n; j++) {
        double sum = bias.get(0, j);
        for (int i = 0; i < k; i++) {
          sum += kept.get(i * n + j) ? (double) x.get(m, i) * w.get(i, j) : 0;
        }
        // Terms are at most 1.
        assertThat(Math.abs(y.get(m, j) - sum)).isLessThan((k + 1) * (k + 1) * 0x1p-24);
      }
    }
  }

  @Test
  void moreRowsThanSixteenBitsCountAreRefused() {
    DenseMatrix w = DenseMatrix.allocate(arena, SparseColumns.MOST_ROWS + 1, 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SparseColumns.of(arena, w, new BitSet()))
        .withMessage("sparse columns: expected at most 65536 rows, found 65537");
  }
}
