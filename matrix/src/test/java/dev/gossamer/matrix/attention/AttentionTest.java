package dev.gossamer.matrix.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Epilogues;
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

/// The kernels of attention against a float64 loop over the edges. Target 0 has no edge, target 1
/// has more than fit into a worker's arrays, and some edges are there twice.
class AttentionTest {
  private static final int TARGETS = 23;
  private static final int SOURCES = 40;
  private static final int HUB = 5000;

  static Stream<Arguments> shapes() {
    return Stream.of(
        Arguments.of(1, 1),
        Arguments.of(1, 16),
        Arguments.of(3, 7),
        Arguments.of(4, 16),
        Arguments.of(4, 15),
        Arguments.of(4, 17),
        Arguments.of(8, 8),
        Arguments.of(17, 3),
        Arguments.of(2, 131));
  }

  /// Everything that a pass has.
  private static final class Pass {
    final Arena arena = Arena.ofShared();
    final CsrMatrix csr;
    final @Nullable MemorySegment logs;
    final @Nullable DenseMatrix ownScores;
    final EdgePattern edges;
    final Attention attention;
    final int heads;
    final int width;
    final DenseMatrix z;
    final DenseMatrix vectors;
    final DenseMatrix e;
    final DenseMatrix alpha;
    final DenseMatrix y;
    final DenseMatrix t;
    final DenseMatrix g;
    final DenseMatrix eGradient;
    final DenseMatrix zGradient;

    Pass(int heads, int width, int hub) {
      this(heads, width, hub, false, false);
    }

    /// @param scored whether edges have scores of their own
    Pass(int heads, int width, int hub, boolean weighted, boolean scored) {
      Random random = new Random(31L * heads + width);
      this.heads = heads;
      this.width = width;
      long[] pointers = new long[TARGETS + 1];
      List<Integer> columns = new ArrayList<>();
      for (int v = 0; v < TARGETS; v++) {
        int degree = v == 0 ? 0 : v == 1 ? hub : random.nextInt(30);
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
      ownScores = scored ? random(random, (int) csr.nnz(), heads) : null;
      EdgePattern bare = new EdgePattern(csr, logs);
      edges = ownScores == null ? bare : bare.withScores(ownScores);
      attention = new Attention(heads, width);
      z = random(random, SOURCES, heads * width);
      vectors = random(random, 2 * heads, width);
      t = random(random, TARGETS, heads * width);
      e = DenseMatrix.allocate(arena, SOURCES, 2 * heads);
      alpha = DenseMatrix.allocate(arena, csr.nnz(), heads);
      y = random(random, TARGETS, heads * width);
      g = DenseMatrix.allocate(arena, csr.nnz(), 2 * heads);
      eGradient = random(random, SOURCES, 2 * heads);
      zGradient = random(random, SOURCES, heads * width);
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

    void run(@Nullable EdgeDropout dropout, int threads) {
      float scale = dropout == null ? 1f : dropout.scale();
      try (Workers w = new Workers(threads)) {
        Epilogues.apply(attention.scores(vectors.data(), e), z, w);
        RowIds ids = RowIds.from(100);
        attention.forward(edges, z, e, alpha, y, dropout, ids, w, RowEpilogue.NONE);
        attention.targetGradients(edges, z, e, alpha, t, scale, g, eGradient, w);
        attention.sourceGradients(
            edges.transposed(arena), t, g, vectors.data(), eGradient, zGradient, w);
      }
    }

    /// The weight of an edge, 1 to 7.
    double weight(long entry) {
      return logs == null ? 1 : 1 + entry % 7;
    }

    /// What the coefficients are made of, in float64.
    double score(int v, long entry, int head) {
      return (ownScores == null ? 0 : ownScores.get(entry, head))
          + dot(vectors, head, 0, z, csr.column(entry), head * width)
          + dot(vectors, heads + head, 0, z, v, head * width);
    }

    double dot(DenseMatrix a, int i, int from, DenseMatrix b, int j, int at) {
      double sum = 0;
      for (int d = 0; d < width; d++) {
        sum += (double) a.get(i, from + d) * b.get(j, at + d);
      }
      return sum;
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void bothPassesEqualTheNaiveLoop(int heads, int width) {
    assertBothPassesEqualTheNaiveLoop(heads, width, false);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void edgesWithScoresOfTheirOwnToo(int heads, int width) {
    assertBothPassesEqualTheNaiveLoop(heads, width, true);
  }

  private static void assertBothPassesEqualTheNaiveLoop(int heads, int width, boolean scored) {
    for (EdgeDropout dropout : new EdgeDropout[] {null, new EdgeDropout(7, 2, 0.4f, 3)}) {
      Pass pass = new Pass(heads, width, HUB, dropout == null == (heads % 2 == 0), scored);
      pass.run(dropout, 2);
      double[][] y = new double[TARGETS][heads * width];
      double[][] dz = new double[SOURCES][heads * width];
      double[][] de = new double[SOURCES][2 * heads];
      for (int v = 0; v < TARGETS; v++) {
        for (int head = 0; head < heads; head++) {
          naive(pass, v, head, dropout, y, dz, de);
        }
      }
      addScores(pass, de, dz);
      // Sums of up to as many terms as the hub has edges, of about 1 in all.
      double tolerance = 16 * Math.sqrt(HUB) * Math.ulp(1f);
      assertClose(pass.y, y, tolerance);
      assertClose(pass.eGradient, de, 4 * tolerance);
      assertClose(pass.zGradient, dz, 4 * tolerance);
      pass.arena.close();
    }
  }

  private static void naive(
      Pass pass,
      int v,
      int head,
      @Nullable EdgeDropout dropout,
      double[][] y,
      double[][] dz,
      double[][] de) {
    int first = (int) pass.csr.rowPointer(v);
    int count = (int) pass.csr.rowLength(v);
    double[] alpha = new double[count];
    double[] gradient = new double[count];
    double all = 0;
    for (int k = 0; k < count; k++) {
      double score = pass.score(v, first + k, head);
      alpha[k] = pass.weight(first + k) * Math.exp(score > 0 ? score : 0.2 * score);
      all += alpha[k];
    }
    double mean = 0;
    for (int k = 0; k < count; k++) {
      int u = pass.csr.column(first + k);
      boolean keeps = dropout == null || dropout.keeps(100 + v, 100 + u, head);
      double factor = dropout == null ? 1 : keeps ? dropout.scale() : 0;
      alpha[k] /= all;
      gradient[k] = factor * pass.dot(pass.t, v, head * pass.width, pass.z, u, head * pass.width);
      mean += alpha[k] * gradient[k];
      for (int d = head * pass.width; d < (head + 1) * pass.width; d++) {
        y[v][d] += factor * alpha[k] * pass.z.get(u, d);
        dz[u][d] += factor * alpha[k] * pass.t.get(v, d);
      }
    }
    for (int k = 0; k < count; k++) {
      double slope = pass.score(v, first + k, head) > 0 ? 1 : 0.2;
      double score = slope * alpha[k] * (gradient[k] - mean);
      de[pass.csr.column(first + k)][head] += score;
      de[v][pass.heads + head] += score;
    }
  }

  private static void addScores(Pass pass, double[][] de, double[][] dz) {
    for (int u = 0; u < SOURCES; u++) {
      for (int j = 0; j < pass.heads * pass.width; j++) {
        int head = j / pass.width;
        dz[u][j] += de[u][head] * pass.vectors.get(head, j % pass.width);
        dz[u][j] += de[u][pass.heads + head] * pass.vectors.get(pass.heads + head, j % pass.width);
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
    Pass one = new Pass(4, 17, HUB);
    Pass three = new Pass(4, 17, HUB);
    one.run(new EdgeDropout(1, 1, 0.2f, 1), 1);
    three.run(new EdgeDropout(1, 1, 0.2f, 1), 3);
    assertThat(three.y.toArray()).isEqualTo(one.y.toArray());
    assertThat(three.zGradient.toArray()).isEqualTo(one.zGradient.toArray());
    assertThat(three.eGradient.toArray()).isEqualTo(one.eGradient.toArray());
    one.arena.close();
    three.arena.close();
  }

  @Test
  void coefficientsAreKeptWithTheirProbability() {
    EdgeDropout dropout = new EdgeDropout(11, 3, 0.3f, 2);
    int kept = 0;
    int trials = 200 * 200 * 9;
    for (int u = 0; u < 200; u++) {
      for (int v = 0; v < 200; v++) {
        for (int head = 0; head < 9; head++) {
          kept += dropout.keeps(v, u, head) ? 1 : 0;
        }
      }
    }
    double deviation = Math.sqrt(0.3 * 0.7 / trials);
    assertThat((double) kept / trials).isCloseTo(0.7, within(5 * deviation));
    assertThat(
            dropout.keeps(3, 5, 0) == dropout.keeps(5, 3, 0)
                && dropout.keeps(3, 6, 0) == dropout.keeps(6, 3, 0)
                && dropout.keeps(3, 7, 0) == dropout.keeps(7, 3, 0)
                && dropout.keeps(3, 8, 0) == dropout.keeps(8, 3, 0)
                && dropout.keeps(3, 9, 0) == dropout.keeps(9, 3, 0)
                && dropout.keeps(3, 10, 0) == dropout.keeps(10, 3, 0))
        .isFalse();
  }

  @Test
  void notANumberIsPassedOn() {
    Pass pass = new Pass(2, 5, 10);
    int u = pass.csr.column(pass.csr.rowPointer(1));
    pass.z.set(u, 0, Float.NaN);
    pass.run(null, 1);
    assertThat(pass.y.get(1, 0)).isNaN();
    assertThat(pass.y.get(1, 5)).isNotNaN();
    pass.arena.close();
  }

  @Test
  void aSymmetricPatternServesAsItsOwnTranspose() {
    try (Arena arena = Arena.ofConfined()) {
      // Edges 0-1, 0-2 and the loop 2-2.
      CsrMatrix csr =
          CsrMatrix.of(arena, 3, new long[] {0, 2, 3, 5}, new int[] {1, 2, 0, 0, 2}, null);
      EdgePattern edges = new EdgePattern(csr);
      EdgePattern.Transposed made = edges.transposed(arena);
      EdgePattern.Transposed shared = edges.symmetricTransposed(arena);
      for (int entry = 0; entry < 5; entry++) {
        assertThat(shared.edge(entry)).isEqualTo(made.edge(entry));
        assertThat(shared.csr().column(entry)).isEqualTo(made.csr().column(entry));
      }
      assertThat(Stream.of(0, 1, 2, 3, 4).map(shared::edge)).containsExactly(2L, 3L, 0L, 1L, 4L);
    }
  }

  @Test
  void whatDoesNotFitIsRefused() {
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix narrow = CsrMatrix.of(arena, 1, new long[] {0, 1, 1}, new int[] {0}, null);
      assertThatThrownBy(() -> new EdgePattern(narrow))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a source for each target");
      CsrMatrix one = CsrMatrix.of(arena, 2, new long[] {0, 1, 2}, new int[] {0, 1}, null);
      DenseMatrix three = DenseMatrix.allocate(arena, 3, 1);
      assertThatThrownBy(() -> new EdgePattern(one).withScores(three))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("edges: 3 rows of scores; expected one for each of 2 edges");
      assertThatThrownBy(() -> new Attention(0, 3))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("found 0 of 3");
    }
  }
}
