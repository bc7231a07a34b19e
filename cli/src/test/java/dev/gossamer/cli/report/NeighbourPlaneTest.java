package dev.gossamer.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NeighbourPlaneTest {
  private static final int GROUPS = 12;
  private static final int EACH = 40;

  private static NeighbourPlane of(float[][] rows, int threads) {
    try (Workers workers = new Workers(threads)) {
      return NeighbourPlane.of(rows, PrincipalPlane.of(rows), workers, Progress.SILENT);
    }
  }

  /// Groups around the corners of a simplex, of which two components can tell only a few apart.
  private static float[][] groups() {
    float[][] rows = NearestRowsTest.random(GROUPS * EACH, GROUPS);
    for (int i = 0; i < rows.length; i++) {
      for (int j = 0; j < GROUPS; j++) {
        rows[i][j] = 0.1f * rows[i][j] + (j == i % GROUPS ? 1 : 0);
      }
    }
    return rows;
  }

  /// The share of points whose nearest ten in the plane are all of their own group.
  private static double pure(double[] x, double[] y) {
    long pure =
        IntStream.range(0, x.length)
            .filter(i ->
                IntStream.range(0, x.length)
                    .boxed()
                    .sorted(Comparator.comparingDouble(j -> Math.hypot(x[i] - x[j], y[i] - y[j])))
                    .limit(11)
                    .allMatch(j -> j % GROUPS == i % GROUPS))
            .count();
    return (double) pure / x.length;
  }

  @Test
  void neighboursStayTogether() {
    float[][] rows = groups();
    PrincipalPlane components = PrincipalPlane.of(rows);
    NeighbourPlane plane = of(rows, 2);
    assertThat(pure(components.x(), components.y())).isLessThan(0.5);
    assertThat(pure(plane.x(), plane.y())).isGreaterThan(0.95);
  }

  @Test
  void theSameRowsHaveTheSamePoints() {
    float[][] rows = groups();
    NeighbourPlane one = of(rows, 1);
    NeighbourPlane other = of(rows, 3);
    assertThat(one.x()).isEqualTo(other.x());
    assertThat(one.y()).isEqualTo(other.y());
  }

  @Test
  void anyRowsHavePoints() {
    assertThat(of(new float[0][0], 1).x()).isEmpty();
    assertThat(of(new float[][] {{3, 4}}, 1).x()).hasSize(1);
    float[][] equal = new float[50][3];
    assertThat(of(equal, 1).x()).hasSize(50).containsOnly(0);
    float[][] line = new float[40][1];
    for (int i = 0; i < line.length; i++) {
      line[i][0] = i;
    }
    NeighbourPlane plane = of(line, 1);
    assertThat(plane.x()).hasSize(40).doesNotContain(Double.NaN).doesNotHaveDuplicates();
  }
}
