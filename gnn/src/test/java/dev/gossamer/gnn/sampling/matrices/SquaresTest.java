package dev.gossamer.gnn.sampling.matrices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.SmallGraph;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SquaresTest {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final Arena arena = Arena.ofShared();

  private static MemorySegment scaled(Arena arena, MemorySegment values, int exponent) {
    MemorySegment scaled = arena.allocate(values.byteSize());
    for (long i = 0; i < values.byteSize() / Float.BYTES; i++) {
      scaled.setAtIndex(FLOAT, i, Math.scalb(values.getAtIndex(FLOAT, i), exponent));
    }
    return scaled;
  }

  /// The entries of `Â` are the same, from weights whose squares are no floats.
  @ParameterizedTest
  @ValueSource(ints = {-110, -1, 1, 110})
  void weightsOfAnySizeHaveSquares(int exponent) {
    try (arena;
        Workers workers = new Workers(1)) {
      CsrMatrix a = SmallGraph.random(40, 200, 3, true, true);
      CsrMatrix other =
          a.withValues(scaled(arena, Objects.requireNonNull(a.values()), exponent))
              .withScales(
                  scaled(arena, Objects.requireNonNull(a.rowScale()), -exponent), a.columnScale());
      int[] vertices = IntStream.range(0, 40).toArray();
      int[] starts = {0, 3, 17, 40};
      float[][] expected =
          new SelectedRows(a, vertices).columnSquares(arena, starts, workers).toDense();
      assertThat(new SelectedRows(other, vertices).columnSquares(arena, starts, workers).toDense())
          .isDeepEqualTo(expected);
      float sum = 0;
      for (float square : expected[1]) {
        sum += square;
      }
      assertThat(sum).isPositive().isFinite();
    }
  }

  /// Rows of `Â` are the same, from weights of which those of each row are of another size; scales
  /// of rows are large where weights are not their reason.
  @Test
  void rowsOfSmallWeightsHaveSquaresBesideRowsOfLargeOnes() {
    try (arena;
        Workers workers = new Workers(1)) {
      CsrMatrix a = SmallGraph.random(40, 200, 3, true, true);
      MemorySegment values = scaled(arena, Objects.requireNonNull(a.values()), 0);
      MemorySegment scales = scaled(arena, Objects.requireNonNull(a.rowScale()), 0);
      for (int row = 0; row < 40; row++) {
        int exponent = row % 2 == 0 ? 110 : -70;
        for (long e = a.rowPointer(row); e < a.rowPointer(row + 1); e++) {
          values.setAtIndex(FLOAT, e, Math.scalb(a.value(e), exponent));
        }
        scales.setAtIndex(FLOAT, row, Math.scalb(a.rowScale(row), 30 - exponent));
      }
      CsrMatrix other = a.withValues(values).withScales(scales, a.columnScale());
      int[] vertices = IntStream.range(0, 40).toArray();
      int[] starts = {0, 3, 17, 40};
      assertThat(new SelectedRows(other, vertices).columnSquares(arena, starts, workers).toDense())
          .isDeepEqualTo(
              new SelectedRows(a, vertices).columnSquares(arena, starts, workers).toDense());
    }
  }
}
