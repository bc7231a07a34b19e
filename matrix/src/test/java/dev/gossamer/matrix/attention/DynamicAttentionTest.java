package dev.gossamer.matrix.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The kernels of dynamic attention against a float64 loop over the edges. Target 0 has no edge,
/// target 1 has more than fit into a worker's arrays, and some edges are there twice. Edges have
/// features, or some of them, or none.
class DynamicAttentionTest {
  private static final int TARGETS = 23;
  private static final int SOURCES = 40;
  private static final int HUB = 5000;
  private static final int ROWS = 50;

  static Stream<Arguments> shapes() {
    return Stream.of(
        Arguments.of(1, 1),
        Arguments.of(1, 16),
        Arguments.of(3, 7),
        Arguments.of(4, 16),
        Arguments.of(4, 17),
        Arguments.of(8, 8),
        Arguments.of(17, 3));
  }

  /// Everything that a pass has.
  private static final class Pass {
    final Arena arena = Arena.ofShared();
    final CsrMatrix csr;
    final @Nullable MemorySegment logs;
    final EdgePattern edges;
    final @Nullable EdgeRows features;
    final DenseMatrix weight;
    final DenseMatrix weightGradient;
    final DynamicAttention attention;
    final int width;
    final DenseMatrix z;
    final DenseMatrix vectors;
    final DenseMatrix alpha;
    final DenseMatrix y;
    final DenseMatrix t;
    final DenseMatrix g;
    final DenseMatrix zGradient;
    final DenseMatrix products;

    /// @param d features of an edge; 0 for none
    Pass(int heads, int width, boolean weighted, int d) {
      Random random = new Random(31L * heads + width);
      this.width = width;
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
      csr = CsrMatrix.of(arena, SOURCES, pointers, ids, null);
      logs = weighted ? arena.allocate(csr.nnz() * Float.BYTES, Float.BYTES) : null;
      for (long e = 0; logs != null && e < csr.nnz(); e++) {
        logs.setAtIndex(ValueLayout.JAVA_FLOAT, e, (float) Math.log(weight(e)));
      }
      weight = random(random, Math.max(1, d), heads * width);
      weightGradient = random(random, Math.max(1, d), heads * width);
      features = d == 0 ? null : features(random, d);
      EdgePattern pattern = new EdgePattern(csr, logs);
      edges = features == null ? pattern : pattern.withTerms(new EdgeTerms(features, weight));
      attention = new DynamicAttention(heads, width);
      z = random(random, SOURCES, heads * width);
      vectors = random(random, heads, width);
      t = random(random, TARGETS, heads * width);
      alpha = DenseMatrix.allocate(arena, csr.nnz(), heads);
      y = random(random, TARGETS, heads * width);
      g = DenseMatrix.allocate(arena, csr.nnz(), 2 * heads);
      zGradient = random(random, SOURCES, heads * width);
      products = random(random, TARGETS, heads * width);
    }

    private EdgeRows features(Random random, int d) {
      long[] numbers = random.longs(csr.nnz(), -1, ROWS).toArray();
      return new EdgeRows(
          random(random, ROWS, d), arena.allocateFrom(ValueLayout.JAVA_LONG, numbers));
    }

    private DenseMatrix random(Random random, int rows, int cols) {
      DenseMatrix matrix = DenseMatrix.allocate(arena, rows, cols);
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
          matrix.set(i, j, (float) (random.nextGaussian() / Math.sqrt(width)));
        }
      }
      return matrix;
    }

    Pass run(@Nullable EdgeDropout dropout, int threads) {
      float scale = dropout == null ? 1f : dropout.scale();
      MemorySegment a = vectors.data();
      try (Workers w = new Workers(threads)) {
        RowIds ids = RowIds.from(100);
        attention.forward(edges, z, a, alpha, y, dropout, ids, w, RowEpilogue.NONE);
        attention.targetGradients(edges, z, a, alpha, t, scale, g, zGradient, products, w);
        attention.sourceGradients(edges, edges.transposed(arena), z, a, t, g, zGradient, w);
        if (features != null) {
          attention.termGradient(edges, z, a, g, weightGradient, w);
        }
      }
      return this;
    }

    /// The weight of an edge, 1 to 7.
    double weight(long entry) {
      return logs == null ? 1 : 1 + entry % 7;
    }

    /// A feature of an edge.
    double feature(long edge, int f) {
      return features == null || features.row(edge) < 0
          ? 0
          : features.x().get(features.row(edge), f);
    }

    double sum(long edge, int v, int column) {
      double sum = (double) z.get(csr.column(edge), column) + z.get(v, column);
      for (int f = 0; f < weight.rows(); f++) {
        sum += feature(edge, f) * weight.get(f, column);
      }
      return sum;
    }

    double score(long edge, int v, int head) {
      double score = 0;
      for (int d = 0; d < width; d++) {
        double x = sum(edge, v, head * width + d);
        score += vectors.get(head, d) * (x > 0 ? x : 0.2 * x);
      }
      return score;
    }
  }

  /// Results of the naive loop.
  @SuppressWarnings("ArrayRecordComponent")
  private record Naive(double[][] y, double[][] z, double[][] vectors, double[][] weight) {}

  @ParameterizedTest
  @MethodSource("shapes")
  void bothPassesEqualTheNaiveLoop(int heads, int width) {
    bothPassesEqualTheNaiveLoop(heads, width, 0);
    bothPassesEqualTheNaiveLoop(heads, width, 1 + width % 5);
  }

  private static void bothPassesEqualTheNaiveLoop(int heads, int width, int d) {
    for (EdgeDropout dropout : new EdgeDropout[] {null, new EdgeDropout(7, 2, 0.4f, 3)}) {
      Pass pass = new Pass(heads, width, dropout == null == (heads % 2 == 0), d).run(dropout, 2);
      Naive naive =
          new Naive(
              new double[TARGETS][heads * width],
              new double[SOURCES][heads * width],
              new double[TARGETS][heads * width],
              new double[d][heads * width]);
      for (int v = 0; v < TARGETS; v++) {
        for (int head = 0; head < heads; head++) {
          naive(pass, v, head, dropout, naive);
        }
      }
      // Sums of up to as many terms as the hub has edges, of about 1 in all.
      double tolerance = 16 * Math.sqrt(HUB) * Math.ulp(1f);
      assertClose(pass.y, naive.y(), tolerance);
      assertClose(pass.zGradient, naive.z(), 4 * tolerance);
      assertClose(pass.products, naive.vectors(), 4 * tolerance);
      assertClose(pass.weightGradient, naive.weight(), 4 * tolerance);
      pass.arena.close();
    }
  }

  private static void naive(
      Pass pass, int v, int head, @Nullable EdgeDropout dropout, Naive naive) {
    int first = (int) pass.csr.rowPointer(v);
    int count = (int) pass.csr.rowLength(v);
    double[] alpha = new double[count];
    double[] gradient = new double[count];
    double all = 0;
    for (int k = 0; k < count; k++) {
      alpha[k] = pass.weight(first + k) * Math.exp(pass.score(first + k, v, head));
      all += alpha[k];
    }
    double mean = 0;
    for (int k = 0; k < count; k++) {
      int u = pass.csr.column(first + k);
      boolean keeps = dropout == null || dropout.keeps(100 + v, 100 + u, head);
      double factor = dropout == null ? 1 : keeps ? dropout.scale() : 0;
      alpha[k] /= all;
      for (int d = head * pass.width; d < (head + 1) * pass.width; d++) {
        gradient[k] += factor * pass.t.get(v, d) * pass.z.get(u, d);
        naive.y()[v][d] += factor * alpha[k] * pass.z.get(u, d);
        naive.z()[u][d] += factor * alpha[k] * pass.t.get(v, d);
      }
      mean += alpha[k] * gradient[k];
    }
    for (int k = 0; k < count; k++) {
      int u = pass.csr.column(first + k);
      double score = alpha[k] * (gradient[k] - mean);
      for (int d = 0; d < pass.width; d++) {
        int column = head * pass.width + d;
        double x = pass.sum(first + k, v, column);
        double slope = x > 0 ? 1 : 0.2;
        naive.z()[u][column] += score * slope * pass.vectors.get(head, d);
        naive.z()[v][column] += score * slope * pass.vectors.get(head, d);
        naive.vectors()[v][column] += score * slope * x;
        for (int f = 0; f < naive.weight().length; f++) {
          double feature = pass.feature(first + k, f);
          naive.weight()[f][column] += score * slope * pass.vectors.get(head, d) * feature;
        }
      }
    }
  }

  private static void assertClose(DenseMatrix found, double[][] expected, double tolerance) {
    for (int i = 0; i < expected.length; i++) {
      for (int j = 0; j < expected[i].length; j++) {
        double size = 1 + Math.abs(expected[i][j]);
        assertThat((double) found.get(i, j))
            .as("element %d, %d", i, j)
            .isCloseTo(expected[i][j], within(tolerance * size));
      }
    }
  }

  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    Pass one = new Pass(4, 17, false, 3).run(new EdgeDropout(1, 1, 0.2f, 1), 1);
    Pass three = new Pass(4, 17, false, 3).run(new EdgeDropout(1, 1, 0.2f, 1), 3);
    assertThat(three.y.toArray()).isEqualTo(one.y.toArray());
    assertThat(three.zGradient.toArray()).isEqualTo(one.zGradient.toArray());
    assertThat(three.products.toArray()).isEqualTo(one.products.toArray());
    assertThat(three.weightGradient.toArray()).isEqualTo(one.weightGradient.toArray());
    one.arena.close();
    three.arena.close();
  }

  @Test
  void whatDoesNotFitIsRefused() {
    assertThatThrownBy(() -> new DynamicAttention(0, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("found 0 of 3");
    Pass pass = new Pass(2, 3, false, 0);
    Workers alone = new Workers(1);
    assertThatThrownBy(() ->
            pass.attention.termGradient(
                pass.edges, pass.z, pass.vectors.data(), pass.g, pass.weightGradient, alone))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("attention: expected features of edges, found none");
    alone.close();
    pass.arena.close();
  }
}
