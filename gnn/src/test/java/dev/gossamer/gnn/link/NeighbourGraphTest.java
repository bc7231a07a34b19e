package dev.gossamer.gnn.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.GraphData;
import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NeighbourGraphTest {
  private static final int N = 90;

  private final boolean[][] arcs = new boolean[N][N];

  NeighbourGraphTest() {
    SplittableRandom random = new SplittableRandom(6);
    for (int i = 0; i < 5 * N; i++) {
      // Vertices with low numbers have many arcs, and some have one to themselves.
      int source = (int) (N * random.nextDouble() * random.nextDouble());
      arcs[source][random.nextInt(N)] = true;
    }
    arcs[3][3] = true;
  }

  private GraphData graph(Arena arena, boolean directed) {
    CsrBuilder builder = new CsrBuilder(N, !directed, true, false);
    return GraphData.of(
        arena,
        directed ? GraphData.Info.of("random").asDirected() : GraphData.Info.of("random"),
        builder.build(
            arena,
            sink -> {
              for (int v = 0; v < N; v++) {
                for (int u = 0; u < N; u++) {
                  if (arcs[v][u]) {
                    sink.arc(v, u, 1);
                  }
                }
              }
            }));
  }

  /// The number of walks of each length between all vertices, by products of matrices.
  private double[][][] walks() {
    double[][] one = new double[N][N];
    for (int v = 0; v < N; v++) {
      for (int u = 0; u < N; u++) {
        one[v][u] = v != u && (arcs[v][u] || arcs[u][v]) ? 1 : 0;
      }
    }
    double[][] two = product(one, one);
    return new double[][][] {one, two, product(two, one)};
  }

  private static double[][] product(double[][] a, double[][] b) {
    double[][] c = new double[N][N];
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        for (int k = 0; k < N; k++) {
          c[i][j] += a[i][k] * b[k][j];
        }
      }
    }
    return c;
  }

  private static double expected(LinkHeuristic heuristic, double[][][] walks, int v, int u) {
    double[][] one = walks[0];
    return switch (heuristic) {
      case COMMON_NEIGHBOURS -> walks[1][v][u];
      case ADAMIC_ADAR -> {
        double sum = 0;
        for (int w = 0; w < N; w++) {
          if (one[v][w] * one[w][u] > 0) {
            sum += 1 / Math.log(walks[1][w][w]);
          }
        }
        yield sum;
      }
      case KATZ -> 0.05 * one[v][u] + 0.0025 * walks[1][v][u] + 0.000125 * walks[2][v][u];
    };
  }

  @ParameterizedTest
  @CsvSource({"false, 1", "true, 1", "true, 3"})
  void scoresAreThoseOfProductsOfMatrices(boolean directed, int threads) {
    double[][][] walks = walks();
    int[] firsts = new int[N * (N - 1)];
    int[] seconds = new int[firsts.length];
    for (int p = 0; p < firsts.length; p++) {
      firsts[p] = p / (N - 1);
      seconds[p] = (firsts[p] + 1 + p % (N - 1)) % N;
    }
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(threads)) {
      NeighbourGraph graph = NeighbourGraph.of(arena, graph(arena, directed));
      for (LinkHeuristic heuristic : LinkHeuristic.values()) {
        float[] scores = graph.scores(heuristic, firsts, seconds, workers);
        for (int p = 0; p < scores.length; p++) {
          double expected = expected(heuristic, walks, firsts[p], seconds[p]);
          assertThat((double) scores[p])
              .as("%s of %d and %d", heuristic, firsts[p], seconds[p])
              .isCloseTo(expected, within(1e-6 * (1 + expected)));
        }
      }
    }
  }
}
