package dev.gossamer.matrix.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Against loops in float64 over weighted and scaled edges, some of which have no features, and
/// entries of 0.
class EdgeMessagesTest {
  private static final float EPSILON = 1e-3f;

  /// A graph, features of its edges and their weight, rows of its vertices, and a gradient of sums.
  private record Case(
      EdgePattern edges, EdgeRows features, DenseMatrix h, DenseMatrix w, DenseMatrix t) {
    static Case of(Arena arena, int targets, int sources, int d, int width, long seed) {
      Random random = new Random(seed);
      boolean[][] there = new boolean[targets][sources];
      int nnz = 0;
      for (int v = 0; v < targets; v++) {
        for (int u = 0; u < sources; u++) {
          there[v][u] = u == v ? random.nextBoolean() : v % 5 != 3 && random.nextInt(3) == 0;
          nnz += there[v][u] ? 1 : 0;
        }
      }
      long[] pointers = new long[targets + 1];
      int[] columns = new int[nnz];
      float[] values = new float[nnz];
      int next = 0;
      for (int v = 0; v < targets; v++) {
        for (int u = 0; u < sources; u++) {
          if (there[v][u]) {
            columns[next] = u;
            values[next++] = next % 7 == 0 ? 0f : 0.5f + random.nextFloat();
          }
        }
        pointers[v + 1] = next;
      }
      CsrMatrix a =
          CsrMatrix.of(arena, sources, pointers, columns, values)
              .withScales(scales(arena, random, targets), scales(arena, random, sources));
      long[] numbers = random.longs(nnz, -1, 20).toArray();
      EdgeRows features =
          new EdgeRows(
              random(arena, random, 20, d), arena.allocateFrom(ValueLayout.JAVA_LONG, numbers));
      return new Case(
          new EdgePattern(a),
          features,
          random(arena, random, sources, width),
          random(arena, random, d, width),
          random(arena, random, targets, width));
    }

    private static MemorySegment scales(Arena arena, Random random, int n) {
      float[] scales = new float[n];
      for (int i = 0; i < n; i++) {
        scales[i] = 0.5f + random.nextFloat();
      }
      return arena.allocateFrom(ValueLayout.JAVA_FLOAT, scales);
    }

    EdgePattern withTerms() {
      return edges.withTerms(new EdgeTerms(features, w));
    }

    /// The argument of the ReLU.
    double argument(long e, int j) {
      double sum = h.get(edges.csr().column(e), j);
      for (int f = 0; f < w.rows() && features.row(e) >= 0; f++) {
        sum += (double) features.x().get(features.row(e), f) * w.get(f, j);
      }
      return sum;
    }

    double weight(int v, long e) {
      CsrMatrix a = edges.csr();
      return (double) a.value(e) * a.rowScale(v) * a.columnScale(a.column(e));
    }

    double[][] sums() {
      double[][] y = new double[Math.toIntExact(edges.targets())][h.cols()];
      for (int v = 0; v < y.length; v++) {
        for (long e = edges.csr().rowPointer(v); e < edges.csr().rowPointer(v + 1L); e++) {
          for (int j = 0; j < h.cols(); j++) {
            boolean own = edges.csr().column(e) == v;
            double message = own ? h.get(v, j) : Math.max(0, argument(e, j));
            y[v][j] += weight(v, e) * message;
          }
        }
      }
      return y;
    }

    /// `sum of t (.) y`, whose gradients are those that are asked for.
    double loss() {
      double[][] y = sums();
      double loss = 0;
      for (int v = 0; v < y.length; v++) {
        for (int j = 0; j < h.cols(); j++) {
          loss += y[v][j] * t.get(v, j);
        }
      }
      return loss;
    }

    double difference(DenseMatrix of, int i, int j) {
      float at = of.get(i, j);
      of.set(i, j, at + EPSILON);
      double above = loss();
      double up = of.get(i, j);
      of.set(i, j, at - EPSILON);
      double below = loss();
      double down = of.get(i, j);
      of.set(i, j, at);
      return (above - below) / (up - down);
    }
  }

  private static DenseMatrix random(Arena arena, Random random, int rows, int cols) {
    DenseMatrix x = DenseMatrix.allocate(arena, rows, cols);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        x.set(i, j, (float) random.nextGaussian());
      }
    }
    return x;
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1, 1", "9, 12, 3, 5", "13, 13, 1, 16", "17, 31, 7, 17", "23, 40, 2, 33"})
  void sumsEqualTheNaiveLoop(int targets, int sources, int d, int width) {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(2)) {
      Case what = Case.of(arena, targets, sources, d, width, targets + d);
      DenseMatrix y = random(arena, new Random(1), targets, width);
      EdgeMessages.forward(what.withTerms(), what.h(), y, workers);
      double[][] expected = what.sums();
      for (int v = 0; v < targets; v++) {
        for (int j = 0; j < width; j++) {
          // A sum of at most `sources` messages, each of `d + 1` terms of about 3.
          assertThat((double) y.get(v, j))
              .isCloseTo(expected[v][j], within(8.0 * sources * (d + 1) * Math.ulp(1f)));
        }
      }
    }
  }

  /// The loss is linear between the corners of the ReLUs, which a step of `EPSILON` seldom reaches:
  /// then differences are exact up to rounding, else between both slopes.
  @ParameterizedTest
  @CsvSource({"9, 12, 3, 5", "13, 13, 1, 16", "17, 21, 4, 17"})
  void gradientsAreCentralDifferences(int targets, int sources, int d, int width) {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(2)) {
      Case what = Case.of(arena, targets, sources, d, width, 5 * targets + d);
      awayFromCorners(what);
      EdgePattern edges = what.withTerms();
      DenseMatrix ofW = random(arena, new Random(1), d, width);
      DenseMatrix ofH = random(arena, new Random(2), sources, width);
      EdgeMessages.weightGradient(edges, what.h(), what.t(), ofW, workers);
      EdgeMessages.sourceGradients(
          edges, edges.transposed(arena), what.h(), what.t(), ofH, workers);
      assertDifferences(what, what.w(), ofW);
      assertDifferences(what, what.h(), ofH);
    }
  }

  /// Moves rows until no argument is nearer to 0 than a step can move it.
  private static void awayFromCorners(Case what) {
    CsrMatrix a = what.edges().csr();
    for (int pass = 0; pass < 100; pass++) {
      boolean moved = false;
      for (long e = 0; e < a.nnz(); e++) {
        for (int j = 0; j < what.h().cols(); j++) {
          if (Math.abs(what.argument(e, j)) < 8 * EPSILON) {
            int u = a.column(e);
            what.h().set(u, j, what.h().get(u, j) + 20 * EPSILON);
            moved = true;
          }
        }
      }
      if (!moved) {
        return;
      }
    }
    throw new AssertionError("arguments are still near 0");
  }

  private static void assertDifferences(Case what, DenseMatrix of, DenseMatrix found) {
    for (int i = 0; i < of.rows(); i++) {
      for (int j = 0; j < of.cols(); j++) {
        assertThat((double) found.get(i, j))
            .as("%d, %d", i, j)
            .isCloseTo(what.difference(of, i, j), within(1e-4));
      }
    }
  }

  @Test
  void theBitsDoNotDependOnTheNumberOfThreads() {
    try (Arena arena = Arena.ofShared();
        Workers one = new Workers(1);
        Workers three = new Workers(3)) {
      Case what = Case.of(arena, 300, 310, 6, 20, 7);
      assertThat(gradients(arena, what, three)).isDeepEqualTo(gradients(arena, what, one));
    }
  }

  private static float[][] gradients(Arena arena, Case what, Workers workers) {
    EdgePattern edges = what.withTerms();
    DenseMatrix gradient = DenseMatrix.allocate(arena, 6, 20);
    EdgeMessages.weightGradient(edges, what.h(), what.t(), gradient, workers);
    return gradient.toArray();
  }

  @Test
  void whatDoesNotFitIsRefused() {
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(1)) {
      Case what = Case.of(arena, 9, 12, 3, 5, 1);
      DenseMatrix y = DenseMatrix.allocate(arena, 9, 5);
      assertThatThrownBy(() -> EdgeMessages.forward(what.edges(), what.h(), y, workers))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("messages: expected features of edges, found none");
      assertThatThrownBy(() -> new EdgeTerms(what.features(), what.h()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "features of edges: a weight of 12 rows; expected one for each of 3 features");
      EdgePattern other = Case.of(arena, 2, 2, 3, 5, 2).edges();
      EdgeTerms terms = new EdgeTerms(what.features(), what.w());
      assertThatThrownBy(() -> other.withTerms(terms))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "edges: features of %d edges; expected those of %d"
                  .formatted(what.edges().count(), other.count()));
    }
  }
}
