package dev.gossamer.matrix.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.RelationSumsTest.Pass;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The means by relation against a float64 loop over the relations, on the edges of
/// [RelationSumsTest].
class RelationMeansTest {
  private static final int TARGETS = RelationSumsTest.TARGETS;
  private static final int SOURCES = RelationSumsTest.SOURCES;

  private static DenseMatrix run(Pass p, int threads) {
    RelationMeans means = new RelationMeans(p.sets, p.relations, p.width);
    EdgePattern edges = new EdgePattern(p.csr);
    DenseMatrix shares = DenseMatrix.allocate(p.arena, TARGETS, p.relations);
    shares.fill(7);
    try (Workers w = new Workers(threads)) {
      means.forward(edges, p.z, shares, p.y, w, RowEpilogue.NONE);
      means.sourceGradients(edges, edges.transposed(p.arena), p.t, shares, p.zGradient, w);
    }
    return shares;
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 16", "3, 7", "5, 17", "64, 9"})
  void meansAndGradientsAreThoseOfTheFormula(int relations, int width) {
    Pass p = new Pass(relations, relations, width);
    DenseMatrix shares = run(p, 2);
    double[][] y = new double[TARGETS][width];
    double[][] z = new double[SOURCES][relations * width];
    for (int v = 0; v < TARGETS; v++) {
      for (int r = 0; r < relations; r++) {
        double share = p.share(v, r);
        assertThat(shares.get(v, r)).isEqualTo((float) share);
        for (long e = p.csr.rowPointer(v); e < p.csr.rowPointer(v + 1L); e++) {
          for (int j = 0; j < width && p.has(e, r); j++) {
            int column = r * width + j;
            y[v][j] += share * p.z.get(p.csr.column(e), column);
            z[p.csr.column(e)][column] += share * p.t.get(v, j);
          }
        }
      }
    }
    // Sums of up to a hub's edges with weights that add up to 1 in each relation.
    for (int v = 0; v < TARGETS; v++) {
      for (int j = 0; j < width; j++) {
        assertThat((double) p.y.get(v, j))
            .isCloseTo(y[v][j] + p.before.get(v, j), within(64.0 * relations * Math.ulp(4f)));
      }
    }
    for (int u = 0; u < SOURCES; u++) {
      for (int j = 0; j < relations * width; j++) {
        assertThat((double) p.zGradient.get(u, j))
            .isCloseTo(z[u][j], within(64.0 * TARGETS * Math.ulp(1f)));
      }
    }
  }

  @Test
  void edgesOfNoSetAddNothing() {
    Pass p = new Pass(3, 3, 5);
    MemorySegment values = Objects.requireNonNull(p.csr.values());
    for (long e = 0; e < p.csr.nnz(); e++) {
      values.setAtIndex(ValueLayout.JAVA_FLOAT, e, RelationSums.NONE);
    }
    run(p, 1);
    assertThat(floats(p.y)).isEqualTo(floats(p.before));
    assertThat(floats(p.zGradient)).containsOnly(0);
  }

  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    Pass one = new Pass(5, 5, 17);
    Pass three = new Pass(5, 5, 17);
    run(one, 1);
    run(three, 3);
    assertThat(floats(three.y)).isEqualTo(floats(one.y));
    assertThat(floats(three.zGradient)).isEqualTo(floats(one.zGradient));
  }

  private static float[] floats(DenseMatrix matrix) {
    return matrix.data().toArray(ValueLayout.JAVA_FLOAT);
  }

  @Test
  void whatDoesNotFitIsRefused() {
    assertThatThrownBy(() -> new RelationMeans(new Pass(3, 3, 5).sets, 65, 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("relations: expected 1 to 64 and a column, found 65 and 5");
  }
}
