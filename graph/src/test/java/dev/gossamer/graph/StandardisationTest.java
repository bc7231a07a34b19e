package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StandardisationTest {
  private static final int N = 50;

  /// Five columns: small, large with a large mean, mostly 0, always 0.1, always 0.
  private static float[][] rows() {
    Random random = new Random(3);
    float[][] rows = new float[N][5];
    for (float[] row : rows) {
      row[0] = random.nextFloat() / 1000;
      row[1] = 1e6f + 1e5f * (float) random.nextGaussian();
      row[2] = random.nextInt(5) == 0 ? 1 + random.nextFloat() : 0;
      row[3] = 0.1f;
    }
    return rows;
  }

  /// Two of three vertices train; a training vertex without a label is none.
  private static GraphData data(float[][] rows) {
    int[] labels = new int[N];
    Split[] split = new Split[N];
    for (int v = 0; v < N; v++) {
      labels[v] = v == 1 ? GraphData.UNLABELLED : 0;
      split[v] = v % 3 == 2 ? Split.TEST : Split.TRAIN;
    }
    return GraphData.builder(N)
        .edges(new int[] {0}, new int[] {1})
        .features(rows)
        .labels(labels)
        .classNames(List.of("one"))
        .split(split)
        .build();
  }

  private static GraphData sparse(GraphData dense, float[][] rows) {
    long[] pointers = new long[N + 1];
    int[] columns = new int[5 * N];
    float[] values = new float[5 * N];
    int at = 0;
    for (int v = 0; v < N; v++) {
      for (int c = 0; c < 5; c++) {
        if (rows[v][c] != 0) {
          columns[at] = c;
          values[at++] = rows[v][c];
        }
      }
      pointers[v + 1] = at;
    }
    CsrMatrix x =
        CsrMatrix.of(
            Arena.ofAuto(), 5, pointers, Arrays.copyOf(columns, at), Arrays.copyOf(values, at));
    return dense.withFeatures(new Features.Sparse(x));
  }

  private static double[] column(float[][] rows, int c) {
    return IntStream.range(0, N)
        .filter(v -> v % 3 != 2 && v != 1)
        .mapToDouble(v -> rows[v][c])
        .toArray();
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).sum() / values.length;
  }

  private static double deviation(double[] values) {
    double mean = mean(values);
    return Math.sqrt(Arrays.stream(values).map(x -> (x - mean) * (x - mean)).sum() / values.length);
  }

  @Test
  void measuresTheTrainingVerticesAlone() {
    float[][] rows = rows();
    try (GraphData data = data(rows)) {
      Standardisation dense = Standardisation.of(data);
      Standardisation sparse = Standardisation.of(sparse(data, rows));
      for (int c = 0; c < 3; c++) {
        double[] trained = column(rows, c);
        double tolerance = 1e-12 * Math.abs(mean(trained));
        assertThat(dense.means().get(c)).isCloseTo(mean(trained), within(tolerance));
        assertThat(dense.deviations().get(c))
            .isCloseTo(deviation(trained), within(1e-9 * deviation(trained)));
      }
      assertThat(sparse.means()).containsOnly(0.0);
      for (int c = 0; c < 5; c++) {
        double expected = dense.deviations().get(c);
        assertThat(sparse.deviations().get(c)).isCloseTo(expected, within(1e-9 * expected));
      }
      assertThat(dense.deviations().subList(3, 5)).containsOnly(1.0);
    }
  }

  @Test
  void bringsTrainingVerticesToMeanZeroAndDeviationOne() {
    float[][] rows = rows();
    try (GraphData data = data(rows);
        Arena arena = Arena.ofConfined()) {
      GraphData scaled = data.withStandardisedFeatures(arena, Standardisation.of(data));
      float[][] found = ((Features.Dense) scaled.features()).x().toArray();
      for (int c = 0; c < 3; c++) {
        assertThat(mean(column(found, c))).isCloseTo(0, within(1e-6));
        assertThat(deviation(column(found, c))).isCloseTo(1, within(1e-6));
      }
      assertThat(column(found, 3)).containsOnly(0);
      assertThat(((Features.Dense) data.features()).x().toArray()).isDeepEqualTo(rows);
    }
  }

  @Test
  void sparseFeaturesStaySparseUnlessMeansAreSubtracted() {
    float[][] rows = rows();
    try (GraphData data = data(rows);
        Arena arena = Arena.ofConfined()) {
      GraphData sparse = sparse(data, rows);
      Standardisation scale = Standardisation.of(sparse);
      GraphData divided = sparse.withStandardisedFeatures(arena, scale);
      assertThat(((Features.Sparse) divided.features()).x().toDense()[7][1])
          .isEqualTo((float) (rows[7][1] / scale.deviations().get(1)));
      // A model of dense features that predicts on sparse ones.
      Standardisation ofDense = Standardisation.of(data);
      GraphData filled = sparse.withStandardisedFeatures(arena, ofDense);
      GraphData expected = data.withStandardisedFeatures(arena, ofDense);
      assertThat(((Features.Dense) filled.features()).x().toArray())
          .isDeepEqualTo(((Features.Dense) expected.features()).x().toArray());
    }
  }

  @Test
  void findsTheLargestValueOfEachColumn() {
    float[][] rows = new float[N][5];
    rows[0] = new float[] {-3, 2, 0, 0, 0.5f};
    rows[2] = new float[] {9, 9, 9, 9, 9};
    try (GraphData data = data(rows)) {
      assertThat(Standardisation.largest(data)).containsExactly(9, 9, 9, 9, 9);
    }
  }

  @Test
  void ofManyVerticesSomeAreLookedAtForTheLargest() {
    float[][] rows = new float[(1 << 16) + 1][1];
    rows[1][0] = 7;
    rows[1 << 16][0] = 5;
    try (GraphData data =
        GraphData.builder(rows.length).edges(new int[] {0}, new int[] {1}).features(rows).build()) {
      assertThat(Standardisation.largest(data)).as("of every second").containsExactly(5);
    }
  }

  /// Of vertices of a type without labels, for example.
  @Test
  void aColumnThatOnlyOtherVerticesHaveIsDividedByItsSize() {
    float[][] rows = rows();
    rows[2][4] = 3e9f;
    rows[5][4] = -4e9f;
    rows[2][3] = 0.1f;
    try (GraphData data = data(rows)) {
      double expected = Math.sqrt((9e18 + 16e18) / 2);
      for (GraphData each : List.of(data, sparse(data, rows))) {
        Standardisation found = Standardisation.of(each);
        assertThat(found.deviations().get(4)).isCloseTo(expected, within(1e-9 * expected));
        assertThat(found.means().get(4)).isZero();
        assertThat(found.deviations().get(3)).isEqualTo(1);
      }
    }
  }

  @Test
  void allVerticesCountIfEdgesArePredicted() {
    float[][] rows = rows();
    try (GraphData data = data(rows);
        Arena arena = Arena.ofShared()) {
      LinkSplit.Parts parts = new LinkSplit(LinkSplit.Proportions.DEFAULT, 0, 0).of(arena, data);
      GraphData links = data.withLinks(LinkSplitTest.task(parts));
      double[] all = IntStream.range(0, N).mapToDouble(v -> rows[v][1]).toArray();
      assertThat(Standardisation.of(links).means().get(1))
          .isCloseTo(mean(all), within(1e-12 * mean(all)));
    }
  }

  @Test
  void deviationsArePositive() {
    assertThatThrownBy(() -> new Standardisation(List.of(1.0), List.of(0.0)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Standardisation(List.of(1.0), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
