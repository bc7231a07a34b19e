package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.graph.GraphData;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StochasticBlocksTest {
  private static final Planted GRAPH = Planted.DEFAULT.withFeatures(0);

  @ParameterizedTest
  @CsvSource({"1000, 4, 0.7", "1003, 10, 0.3", "1001, 500, 0.9", "1000, 2, 0", "1000, 1, 1"})
  void edgesFallInsideTheBlocksInTheirShare(int n, int blocks, double inside) {
    StochasticBlocks g =
        new StochasticBlocks(n, 40, inside, GRAPH.withClasses(blocks).withSeed(11));
    int[] labels = g.labels();
    double[] same = {0};
    double[] loops = {0};
    double[] degrees = new double[n];
    g.edges()
        .forEach((source, target, weight) -> {
          same[0] += labels[source] == labels[target] ? 1 : 0;
          loops[0] += source == target ? 1 : 0;
          degrees[source]++;
          degrees[target]++;
        });
    double arcs = n * 20.0;
    double slack = 5 * Math.sqrt(inside * (1 - inside) / arcs);
    assertThat(same[0] / arcs).isBetween(inside - slack, inside + slack);
    assertThat(loops[0]).isZero();
    // Each vertex is told 40 times on average. Blocks differ by one vertex, which shifts the mean
    // by less than a factor 1.5 in blocks of two or three; six deviations for the n of them.
    double shift = n % blocks == 0 ? 1 : blocks > n / 4 ? 1.5 : 1.05;
    double spread = 6 * Math.sqrt(40 * shift);
    assertThat(IntStream.range(0, n).filter(v -> degrees[v] > 40 * shift + spread)).isEmpty();
    assertThat(IntStream.range(0, n).filter(v -> degrees[v] < 40 / shift - spread)).isEmpty();
  }

  /// Expected repeats among `m` draws of `p` pairs: at most `m^2 / (2 p)`, with all inside.
  @ParameterizedTest
  @CsvSource({"2000, 4", "2000, 10"})
  void fewEdgesAreLostToRepeats(int n, int blocks) {
    try (GraphData d =
        new StochasticBlocks(n, 10, 1, GRAPH.withClasses(blocks).withSeed(2)).build()) {
      double told = n * 5.0;
      double pairs = (double) n * (n / blocks - 1) / 2;
      double repeats = told * told / (2 * pairs);
      assertThat((double) d.edges()).isBetween(told - repeats - 5 * Math.sqrt(repeats), told);
    }
  }
}
