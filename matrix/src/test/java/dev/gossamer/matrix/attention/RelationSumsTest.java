package dev.gossamer.matrix.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The sums by relation against a float64 loop over the relations. Target 0 has no edge, target 1
/// has many; some edges are there twice, some have several relations and some none.
class RelationSumsTest {
  static final int TARGETS = 23;
  static final int SOURCES = 40;
  private static final int HUB = 3000;

  /// Relations, bases, columns.
  static Stream<Arguments> shapes() {
    return Stream.of(
        Arguments.of(1, 1, 1),
        Arguments.of(2, 1, 16),
        Arguments.of(3, 2, 7),
        Arguments.of(5, 4, 17),
        Arguments.of(6, 3, 32),
        Arguments.of(64, 5, 9));
  }

  /// Everything that a pass has.
  static final class Pass {
    final Arena arena = Arena.ofShared();
    final int relations;
    final int bases;
    final int width;
    final List<Long> sets = new ArrayList<>();
    final CsrMatrix csr;
    final DenseMatrix z;
    final DenseMatrix a;
    final DenseMatrix weights;
    final DenseMatrix before;
    final DenseMatrix y;
    final DenseMatrix t;
    final DenseMatrix aGradient;
    final DenseMatrix zGradient;

    Pass(int relations, int bases, int width) {
      this.relations = relations;
      this.bases = bases;
      this.width = width;
      Random random = new Random(31L * relations + width);
      sets.add(0L);
      for (int r = 0; r < relations; r++) {
        sets.add(1L << r);
      }
      sets.add(1L | (1L << (relations - 1)));
      sets.add(relations == Long.SIZE ? -1L : (1L << relations) - 1);
      long[] pointers = new long[TARGETS + 1];
      List<Integer> columns = new ArrayList<>();
      for (int v = 0; v < TARGETS; v++) {
        int degree = v == 0 ? 0 : v == 1 ? HUB : random.nextInt(30);
        for (int k = 0; k < degree; k++) {
          columns.add(random.nextInt(SOURCES));
        }
        pointers[v + 1] = columns.size();
      }
      int[] ids = columns.stream().mapToInt(Integer::intValue).toArray();
      float[] numbers = new float[ids.length];
      for (int e = 0; e < numbers.length; e++) {
        numbers[e] = random.nextInt(sets.size());
      }
      csr = CsrMatrix.of(arena, SOURCES, pointers, ids, numbers);
      z = random(random, SOURCES, bases * width);
      a = random(random, relations, bases);
      weights = random(random, ids.length, bases);
      before = random(random, TARGETS, width);
      y = DenseMatrix.allocate(arena, TARGETS, width);
      y.copyFrom(before);
      t = random(random, TARGETS, width);
      aGradient = random(random, relations, bases);
      zGradient = random(random, SOURCES, bases * width);
    }

    private DenseMatrix random(Random random, int rows, int cols) {
      DenseMatrix matrix = DenseMatrix.allocate(arena, rows, cols);
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
          matrix.set(i, j, (float) random.nextGaussian());
        }
      }
      return matrix;
    }

    Pass run(int threads) {
      RelationSums sums = new RelationSums(sets, relations, bases, width);
      EdgePattern edges = new EdgePattern(csr);
      try (Workers w = new Workers(threads)) {
        sums.forward(edges, z, a.data(), weights, y, w, RowEpilogue.NONE);
        sums.coefficientGradient(edges, z, t, aGradient.data(), w);
        sums.sourceGradients(edges.transposed(arena), t, weights, zGradient, w);
      }
      return this;
    }

    boolean has(long entry, int r) {
      return (sets.get((int) csr.value(entry)) >>> r & 1) != 0;
    }

    double share(int v, int r) {
      int count = 0;
      for (long e = csr.rowPointer(v); e < csr.rowPointer(v + 1L); e++) {
        count += has(e, r) ? 1 : 0;
      }
      return count == 0 ? 0 : 1.0 / count;
    }

    float[][] results() {
      return new float[][] {floats(y), floats(aGradient), floats(zGradient)};
    }

    private static float[] floats(DenseMatrix matrix) {
      return matrix.data().toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void sumsAndGradientsAreThoseOfTheFormula(int relations, int bases, int width) {
    Pass p = new Pass(relations, bases, width).run(2);
    double[][] y = new double[TARGETS][width];
    double[][] a = new double[relations][bases];
    double[][] z = new double[SOURCES][bases * width];
    for (int v = 0; v < TARGETS; v++) {
      for (int r = 0; r < relations; r++) {
        double share = p.share(v, r);
        for (long e = p.csr.rowPointer(v); e < p.csr.rowPointer(v + 1L); e++) {
          if (p.has(e, r)) {
            add(p, v, p.csr.column(e), r, share, y, a, z);
          }
        }
      }
    }
    // Sums of up to a hub's edges with weights that add up to 1 in each relation.
    double tolerance = 64 * relations * bases * Math.ulp(4f);
    for (int v = 0; v < TARGETS; v++) {
      for (int j = 0; j < width; j++) {
        double expected = y[v][j] + p.before.get(v, j);
        assertThat((double) p.y.get(v, j)).isCloseTo(expected, within(tolerance));
      }
    }
    for (int r = 0; r < relations; r++) {
      for (int b = 0; b < bases; b++) {
        double rounding = 64 * TARGETS * width * Math.ulp(1f);
        assertThat((double) p.aGradient.get(r, b)).isCloseTo(a[r][b], within(rounding));
      }
    }
    for (int u = 0; u < SOURCES; u++) {
      for (int j = 0; j < bases * width; j++) {
        double rounding = 64 * TARGETS * relations * Math.ulp(1f);
        assertThat((double) p.zGradient.get(u, j)).isCloseTo(z[u][j], within(rounding));
      }
    }
  }

  /// What an edge from `u` to `v` adds in one of its relations.
  private static void add(
      Pass p, int v, int u, int r, double share, double[][] y, double[][] a, double[][] z) {
    for (int b = 0; b < p.bases; b++) {
      for (int j = 0; j < p.width; j++) {
        int column = b * p.width + j;
        y[v][j] += share * p.a.get(r, b) * p.z.get(u, column);
        a[r][b] += share * p.t.get(v, j) * p.z.get(u, column);
        z[u][column] += share * p.a.get(r, b) * p.t.get(v, j);
      }
    }
  }

  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    float[][] expected = new Pass(5, 4, 17).run(1).results();
    assertThat(new Pass(5, 4, 17).run(2).results()).isDeepEqualTo(expected);
    assertThat(new Pass(5, 4, 17).run(5).results()).isDeepEqualTo(expected);
  }

  @Test
  void edgesWithoutSetsAreRefused() {
    Pass p = new Pass(3, 2, 7);
    EdgePattern edges = new EdgePattern(p.csr.withValues(null));
    RelationSums sums = new RelationSums(p.sets, 3, 2, 7);
    try (Workers workers = new Workers(1)) {
      assertThatThrownBy(
              () -> sums.forward(edges, p.z, p.a.data(), p.weights, p.y, workers, RowEpilogue.NONE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("relations: expected the set of each edge, found none");
    }
    assertThatThrownBy(() -> new RelationSums(p.sets, 65, 2, 7))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("relations: expected 1 to 64");
  }
}
