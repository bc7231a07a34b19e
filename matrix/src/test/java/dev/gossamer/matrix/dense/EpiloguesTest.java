package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EpiloguesTest {
  private static final int ROWS = 53;

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  /// What an element becomes.
  private interface Element {
    float of(float y, int i, int j);
  }

  private void check(RowEpilogue epilogue, int cols, Element expected) {
    DenseMatrix y = Samples.random(arena, ROWS, cols, 3);
    y.set(ROWS / 2, cols - 1, Float.NaN);
    y.set(ROWS / 2, 0, Float.NaN);
    float[][] before = y.toArray();
    epilogue.apply(y, 2, ROWS - 1);
    float[][] after = y.toArray();
    for (int i = 0; i < ROWS; i++) {
      for (int j = 0; j < cols; j++) {
        boolean touched = i >= 2 && i < ROWS - 1;
        before[i][j] = touched ? expected.of(before[i][j], i, j) : before[i][j];
      }
      assertThat(after[i]).as("row %d of width %d", i, cols).isEqualTo(before[i]);
    }
  }

  private static float positive(float v) {
    return v < 0 ? 0 : v;
  }

  @Test
  void changesTheRowsThatItIsGiven() {
    MemorySegment scale = Samples.random(arena, 1, ROWS, 5).data();
    float[] s = DenseMatrix.wrap(scale, 1, ROWS).toArray()[0];
    Dropout dropout = new Dropout(6, 1, 0.5f);
    Samples.widths()
        .forEach(cols -> {
          DenseMatrix bias = Samples.random(arena, 1, cols, 4);
          float[] b = bias.toArray()[0];
          check(Epilogues.bias(bias.data()), cols, (y, i, j) -> y + b[j]);
          check(Epilogues.relu(), cols, (y, i, j) -> positive(y));
          check(Epilogues.biasRelu(bias.data()), cols, (y, i, j) -> positive(y + b[j]));
          check(Epilogues.scaleRows(scale), cols, (y, i, j) -> y * s[i]);
          check(
              Epilogues.biasReluDropout(bias.data(), dropout, 8, RowIds.from(100)),
              cols,
              (y, i, j) -> dropout.keeps(8, 100 + i, j, cols) ? positive(y + b[j]) * 2f : 0f);
          DenseMatrix other = Samples.random(arena, ROWS + 3, cols, 4);
          check(Epilogues.add(other), cols, (y, i, j) -> y + other.get(i, j));
          DenseMatrix wide = Samples.random(arena, ROWS + 3, cols + 5, 4);
          check(
              Epilogues.add(new ColumnBlock(wide, 2, 2 + cols)),
              cols,
              (y, i, j) -> y + wide.get(i, 2 + j));
          check(
              Epilogues.mix(0.75f, 0.5f, other),
              cols,
              (y, i, j) -> 0.75f * y + 0.5f * other.get(i, j));
          check(Epilogues.scaled(0.75f), cols, (y, i, j) -> 0.75f * y);
          check(Epilogues.gated(other, 2f), cols, (y, i, j) -> y > 0 ? 2f * other.get(i, j) : 0f);
          check(
              Epilogues.inTurn(Epilogues.relu(), Epilogues.bias(bias.data())),
              cols,
              (y, i, j) -> positive(y) + b[j]);
        });
  }

  /// `exp` is right to a few roundings, of numbers up to 1 here.
  @Test
  void eluFollowsItsFormula() {
    Samples.widths()
        .forEach(cols -> {
          DenseMatrix y = Samples.random(arena, ROWS, cols, 3);
          float[][] before = y.toArray();
          Epilogues.elu().apply(y, 2, ROWS - 1);
          for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < cols; j++) {
              float v = before[i][j];
              boolean touched = i >= 2 && i < ROWS - 1 && v <= 0;
              float expected = touched ? (float) Math.expm1(v) : v;
              assertThat(y.get(i, j)).isCloseTo(expected, within(4 * Math.ulp(1f)));
            }
          }
        });
  }

  @Test
  void eluPassesGradientsOnByItsResult() {
    DenseMatrix gradient = Samples.random(arena, 1, 5, 4);
    DenseMatrix y = DenseMatrix.of(arena, new float[][] {{3f, -0.75f, 0f, -1.5f, Float.NaN}});
    DenseMatrix plain = DenseMatrix.of(arena, new float[][] {{3f, -0.75f, 0f, -1f, Float.NaN}});
    Epilogues.eluGated(gradient, 2f).apply(y, 0, 1);
    Epilogues.eluGated(gradient, 1f).apply(plain, 0, 1);
    float[] g = gradient.toArray()[0];
    // Behind dropout, -0.75 is twice the ELU of -0.47, whose slope is 1 - 0.375; 0 was dropped.
    assertThat(y.toArray()[0])
        .containsExactly(2 * g[0], 1.25f * g[1], 0f * g[2], 0.5f * g[3], Float.NaN);
    assertThat(plain.toArray()[0]).containsExactly(g[0], 0.25f * g[1], g[2], 0f * g[3], Float.NaN);
  }

  @Test
  void runsOverAWholeMatrix() {
    DenseMatrix y = Samples.random(arena, 10_007, 19, 1);
    float[][] expected = y.toArray();
    for (float[] row : expected) {
      for (int j = 0; j < row.length; j++) {
        row[j] = positive(row[j]);
      }
    }
    try (Workers workers = new Workers(3)) {
      Epilogues.apply(Epilogues.relu(), y, workers);
      Epilogues.apply(Epilogues.relu(), DenseMatrix.allocate(arena, 0, 19), workers);
    }
    assertThat(y.toArray()).isDeepEqualTo(expected);
  }

  @Test
  void refusesSegmentsOfAnotherSize() {
    DenseMatrix y = DenseMatrix.allocate(arena, 3, 4);
    MemorySegment five = arena.allocate(5L * Float.BYTES);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Epilogues.bias(five).apply(y, 0, 3))
        .withMessage("epilogue: the bias has 5 floats but the result needs 4");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Epilogues.scaleRows(five).apply(y, 0, 3))
        .withMessage("epilogue: the row scale has 5 floats but the result needs 3");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Epilogues.add(DenseMatrix.allocate(arena, 2, 4)).apply(y, 0, 3))
        .withMessage("epilogue: the addend is 2 x 4 but the result is 3 x 4");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Epilogues.add(new ColumnBlock(y, 1, 4)).apply(y, 0, 3))
        .withMessage("epilogue: the addend is 3 x 3 but the result is 3 x 4");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Epilogues.gated(DenseMatrix.allocate(arena, 3, 5), 1f).apply(y, 0, 3))
        .withMessage("epilogue: the gradient is 3 x 5 but the result is 3 x 4");
  }
}
