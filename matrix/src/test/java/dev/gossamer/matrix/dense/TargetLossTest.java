package dev.gossamer.matrix.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TargetLossTest {
  private static final int N = 60;
  private static final float SCALE = 0.75f;

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  /// A loss with its definition in float64.
  ///
  /// @param of loss of an output and its target
  record Defined(String name, TargetLoss loss, Definition of) {
    @Override
    public String toString() {
      return name;
    }
  }

  interface Definition {
    double loss(double z, double y);
  }

  private static NumberLoss numbers(NumberLoss.Penalty error) {
    return new NumberLoss(error, (column, value) -> (value - column) / 2);
  }

  /// Scaled as [#numbers] does it in column 0, 1, ... by the caller.
  static Stream<Defined> losses() {
    return Stream.of(
        new Defined(
            "labels",
            new LabelLoss(),
            (z, y) -> y == 1 ? Math.log1p(Math.exp(-z)) : Math.log1p(Math.exp(z))),
        new Defined(
            "squared", numbers(new NumberLoss.Penalty.Squared()), (z, y) -> (z - y) * (z - y)),
        new Defined(
            "absolute", numbers(new NumberLoss.Penalty.Absolute()), (z, y) -> Math.abs(z - y)),
        new Defined(
            "huber",
            numbers(new NumberLoss.Penalty.Huber(0.5)),
            (z, y) ->
                Math.abs(z - y) <= 0.5 ? (z - y) * (z - y) / 2 : 0.5 * (Math.abs(z - y) - 0.25)));
  }

  private static float target(Defined each, Random random) {
    return each.loss() instanceof LabelLoss ? random.nextInt(2) : random.nextFloat() * 6;
  }

  private static double onScale(Defined each, int column, float y) {
    return each.loss() instanceof NumberLoss numbers ? numbers.scale().scaled(column, y) : y;
  }

  @ParameterizedTest
  @MethodSource("losses")
  void knownTargetsHaveALossAndItsGradient(Defined each) {
    Samples.widths()
        .forEach(columns -> {
          Random random = new Random(columns);
          DenseMatrix y = DenseMatrix.allocate(arena, N, columns);
          for (int i = 0; i < N; i++) {
            for (int c = 0; c < columns; c++) {
              y.set(i, c, random.nextInt(5) == 0 ? Float.NaN : target(each, random));
            }
          }
          int[] ids = IntStream.range(0, N).map(i -> (7 * i + 3) % N).toArray();
          int[] rows = IntStream.range(0, N).filter(i -> i % 3 != 1).toArray();
          float[] weights = new float[N];
          for (int row : rows) {
            weights[row] = 1f / 100;
          }
          TargetRows targets = new TargetRows(y, ids);
          DenseMatrix listed = Samples.random(arena, N, columns, 5);
          DenseMatrix weighted = Samples.random(arena, N, columns, 5);
          float[][] before = listed.toArray();
          double loss;
          double sum;
          try (Workers two = new Workers(2)) {
            TargetLoss.Mean mean = new TargetLoss.Mean(100, SCALE);
            loss = each.loss().andGradient(listed, targets, rows, mean, two);
            sum = each.loss().weightedAndGradient(weighted, targets, weights, SCALE, two);
          }
          double expected = 0;
          double h = 0x1p-12;
          for (int i = 0; i < N; i++) {
            for (int c = 0; c < columns; c++) {
              float known = y.get(ids[i], c);
              double gradient = 0;
              if (i % 3 != 1 && !Float.isNaN(known)) {
                double target = onScale(each, c, known);
                double z = before[i][c];
                expected += SCALE / 100 * each.of().loss(z, target);
                gradient =
                    (each.of().loss(z + h, target) - each.of().loss(z - h, target)) / (2 * h);
              }
              assertThat((double) listed.get(i, c)).isCloseTo(SCALE / 100 * gradient, within(1e-6));
              assertThat(weighted.get(i, c)).isCloseTo(listed.get(i, c), within(1e-8f));
            }
          }
          assertThat(loss).isCloseTo(expected, within(1e-5 * columns + 1e-6 * expected));
          assertThat(sum).isCloseTo(loss, within(1e-6 * (columns + expected)));
        });
  }

  @Test
  void extremeLogitsStayFinite() {
    DenseMatrix z = DenseMatrix.of(arena, new float[][] {{3e38f, -3e38f, 200, -200}});
    DenseMatrix y = DenseMatrix.of(arena, new float[][] {{1, 0, 1, 0}});
    TargetRows targets = new TargetRows(y, new int[] {0});
    try (Workers w = new Workers(1)) {
      TargetLoss.Mean mean = new TargetLoss.Mean(1, 1);
      assertThat(new LabelLoss().andGradient(z, targets, new int[] {0}, mean, w)).isZero();
    }
    assertThat(z.toArray()).isDeepEqualTo(new float[1][4]);
  }

  @Test
  void manyLabelsHaveTheSumOfTheirLosses() {
    int columns = 5000;
    DenseMatrix z = DenseMatrix.allocate(arena, 1, columns);
    DenseMatrix y = DenseMatrix.allocate(arena, 1, columns);
    try (Workers w = new Workers(1)) {
      TargetLoss.Mean mean = new TargetLoss.Mean(1, 1);
      TargetRows targets = new TargetRows(y, new int[] {0});
      assertThat(new LabelLoss().andGradient(z, targets, new int[] {0}, mean, w))
          .isCloseTo(columns * Math.log(2), within(1e-6 * columns));
    }
  }

  @Test
  void probabilitiesAreThoseOfEachLogit() {
    DenseMatrix z = Samples.random(arena, 9, 21, 4);
    float[][] before = z.toArray();
    try (Workers w = new Workers(2)) {
      LabelLoss.sigmoid(z, w);
    }
    for (int i = 0; i < 9; i++) {
      for (int c = 0; c < 21; c++) {
        assertThat((double) z.get(i, c))
            .isCloseTo(1 / (1 + Math.exp(-before[i][c])), within(0x1p-21));
      }
    }
  }

  @Test
  void sizesMustFit() {
    TargetRows targets = new TargetRows(DenseMatrix.allocate(arena, 2, 3), new int[] {0, 1});
    try (Workers w = new Workers(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              new LabelLoss()
                  .weightedAndGradient(
                      DenseMatrix.allocate(arena, 2, 2), targets, new float[2], 1, w))
          .withMessage("loss: outputs are 2 x 2 but there are 2 rows of 3 targets");
    }
  }
}
