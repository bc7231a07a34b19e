package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PropagationTest {
  /// Two roundings of a degree's power and one product: a few float32 units.
  private static final double TOLERANCE = 8 * Math.ulp(1f);

  @ParameterizedTest
  @CsvSource({
    "SYMMETRIC, false, true, false",
    "SYMMETRIC, true, true, false",
    "SYMMETRIC, true, false, true",
    "ROW_MEAN, false, true, false",
    "ROW_MEAN, true, false, true",
    "ROW_MEAN, true, true, true",
    "NONE, false, false, false",
    "NONE, true, true, false",
  })
  void equalsTheDenseFormula(
      Normalisation normalisation, boolean directed, boolean selfLoops, boolean weighted) {
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix a = random(arena, 23, directed, weighted, 5);
      PropagationRows propagation =
          new Propagation(a, directed, normalisation, selfLoops).all(arena);
      double[][] expected = dense(a.toDense(), normalisation, selfLoops);
      int[] lengths = new Propagation(a, directed, normalisation, selfLoops).rowLengths();
      for (int v = 0; v < lengths.length; v++) {
        assertThat((long) lengths[v]).isEqualTo(propagation.forward().rowLength(v));
      }
      float[][] forward = propagation.forward().toDense();
      float[][] backward = propagation.backward().toDense();
      for (int v = 0; v < expected.length; v++) {
        for (int u = 0; u < expected.length; u++) {
          double tolerance = TOLERANCE * Math.max(1, Math.abs(expected[v][u]));
          assertThat((double) forward[v][u]).isCloseTo(expected[v][u], within(tolerance));
          assertThat((double) backward[u][v]).isCloseTo(expected[v][u], within(tolerance));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SYMMETRIC, false, true, false",
    "SYMMETRIC, true, true, false",
    "SYMMETRIC, true, false, true",
    "ROW_MEAN, false, true, false",
    "ROW_MEAN, true, true, true",
    "NONE, true, true, false",
  })
  void someRowsAreThoseOfThePermutedWhole(
      Normalisation normalisation, boolean directed, boolean selfLoops, boolean weighted) {
    int n = 23;
    int[] newIds = new int[n];
    for (int v = 0; v < n; v++) {
      newIds[v] = (7 * v + 3) % n;
    }
    int[] vertices = {5, 2, 19, 0, 22};
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix a = random(arena, n, directed, weighted, 6);
      Propagation propagation = new Propagation(a, directed, normalisation, selfLoops);
      PropagationRows all = propagation.all(arena);
      PropagationRows some = propagation.rows(arena, vertices, newIds);
      assertThat(some.samePattern()).isEqualTo(!directed);
      assertThat(some.forward() == some.backward()).isEqualTo(propagation.isSymmetric());
      assertThat(some.forward().isCanonical()).isTrue();
      assertThat(some.backward().isCanonical()).isTrue();
      for (int r = 0; r < vertices.length; r++) {
        for (int v = 0; v < n; v++) {
          assertThat(some.forward().toDense()[r][newIds[v]])
              .isEqualTo(all.forward().toDense()[vertices[r]][v]);
          assertThat(some.backward().toDense()[r][newIds[v]])
              .isEqualTo(all.backward().toDense()[vertices[r]][v]);
        }
      }
    }
  }

  /// A weight travels with its column while a row is sorted anew.
  @Test
  void negativeWeightsStayInTheirColumns() {
    try (Arena arena = Arena.ofConfined()) {
      float[] weights = {-2, 3, -0.5f, -1};
      CsrMatrix a =
          CsrMatrix.of(arena, 3, new long[] {0, 2, 3, 4}, new int[] {1, 2, 0, 1}, weights);
      PropagationRows rows =
          new Propagation(a, true, Normalisation.NONE, false)
              .rows(arena, new int[] {0, 1, 2}, new int[] {2, 1, 0});
      assertThat(rows.backward().toDense())
          .isDeepEqualTo(new float[][] {{3, -2, 0}, {0, 0, -0.5f}, {0, -1, 0}});
    }
  }

  @ParameterizedTest
  @EnumSource(Normalisation.class)
  void anIsolatedVertexHasNoRowAndNoNaN(Normalisation normalisation) {
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix a = CsrMatrix.of(arena, 3, new long[] {0, 1, 2, 2}, new int[] {1, 0}, null);
      float[][] dense =
          new Propagation(a, false, normalisation, false).all(arena).forward().toDense();
      assertThat(dense[2]).containsOnly(0f);
      assertThat(dense[0][1]).isEqualTo(1f);
    }
  }

  @Test
  void aSelfLoopThatIsThereIsNotAddedAgain() {
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix a = CsrMatrix.of(arena, 2, new long[] {0, 2, 3}, new int[] {0, 1, 0}, null);
      CsrMatrix looped = SelfLoops.added(arena, a);
      assertThat(looped.rowColumns(0)).containsExactly(0, 1);
      assertThat(looped.rowColumns(1)).containsExactly(0, 1);
    }
  }

  @Test
  void anUndirectedGraphWithoutSelfLoopsIsNotCopied() {
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix a = random(arena, 9, false, false, 1);
      PropagationRows propagation =
          new Propagation(a, false, Normalisation.SYMMETRIC, false).all(arena);
      assertThat(propagation.forward().columns().address()).isEqualTo(a.columns().address());
      assertThat(propagation.backward().columns().address()).isEqualTo(a.columns().address());
    }
  }

  /// `Â[v][u] = l(v) A'[u][v] r(u)` with `A' = A + I` where the diagonal is empty.
  private static double[][] dense(float[][] a, Normalisation normalisation, boolean selfLoops) {
    int n = a.length;
    double[] in = new double[n];
    double[] out = new double[n];
    for (int u = 0; u < n; u++) {
      if (selfLoops && a[u][u] == 0) {
        a[u][u] = 1;
      }
      for (int v = 0; v < n; v++) {
        out[u] += a[u][v];
        in[v] += a[u][v];
      }
    }
    double[][] result = new double[n][n];
    for (int u = 0; u < n; u++) {
      for (int v = 0; v < n; v++) {
        if (a[u][v] != 0) {
          result[v][u] =
              switch (normalisation) {
                case SYMMETRIC -> a[u][v] / Math.sqrt(in[v] * out[u]);
                case ROW_MEAN -> a[u][v] / in[v];
                case NONE -> a[u][v];
              };
        }
      }
    }
    return result;
  }

  private static CsrMatrix random(
      Arena arena, int n, boolean directed, boolean weighted, long seed) {
    EdgeStream arcs =
        sink -> {
          Random random = new Random(seed);
          for (int i = 0; i < 4 * n; i++) {
            sink.arc(random.nextInt(n), random.nextInt(n), 0.5f + random.nextFloat());
          }
        };
    return new CsrBuilder(n, !directed, directed, weighted).build(arena, arcs);
  }
}
