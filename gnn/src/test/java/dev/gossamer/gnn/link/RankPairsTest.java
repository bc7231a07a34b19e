package dev.gossamer.gnn.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.DoubleAdder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RankPairsTest {
  private static final int N = 50;
  private static final int WIDTH = 11;
  private static final int PAIRS = 700;

  /// A pair may be drawn twice, and against several edges.
  private record Pair(int first, int second, boolean edge) {}

  private final List<Pair> pairs = new ArrayList<>();
  private final float[][] z = new float[N][WIDTH];

  RankPairsTest() {
    SplittableRandom random = new SplittableRandom(4);
    while (pairs.size() < PAIRS) {
      int a = random.nextInt(N);
      int b = random.nextInt(N);
      if (a != b) {
        pairs.add(new Pair(a, b, random.nextBoolean()));
      }
    }
    for (float[] row : z) {
      for (int j = 0; j < WIDTH; j++) {
        row[j] = (float) random.nextDouble(-1, 1);
      }
    }
  }

  private double score(Pair pair) {
    double sum = 0;
    for (int j = 0; j < WIDTH; j++) {
      sum += (double) z[pair.first][j] * z[pair.second][j];
    }
    return sum;
  }

  private double loss() {
    return pairs.stream()
        .mapToDouble(pair -> Math.log1p(Math.exp(pair.edge ? -score(pair) : score(pair))))
        .average()
        .orElseThrow();
  }

  private double[][] gradient() {
    double[][] gradient = new double[N][WIDTH];
    for (Pair pair : pairs) {
      double slope = (1 / (1 + Math.exp(-score(pair))) - (pair.edge ? 1 : 0)) / PAIRS;
      for (int j = 0; j < WIDTH; j++) {
        gradient[pair.first][j] += slope * z[pair.second][j];
        gradient[pair.second][j] += slope * z[pair.first][j];
      }
    }
    return gradient;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void lossAndGradientAreThoseOfTheDefinition(int ranks) {
    RowDistribution distribution = RowDistribution.even(N, ranks);
    DoubleAdder loss = new DoubleAdder();
    double[][] expected = gradient();
    ThreadRanks.run(
        ranks,
        comm -> {
          PairList mine = new PairList();
          for (int i = comm.rank(); i < PAIRS; i += ranks) {
            mine.add(pairs.get(i).first, pairs.get(i).second, pairs.get(i).edge);
          }
          int begin = distribution.begin(comm.rank());
          try (Arena arena = Arena.ofShared();
              Workers workers = new Workers(2);
              RankPairs all =
                  new RankPairs(
                      comm,
                      distribution,
                      mine.toOwners(comm, distribution),
                      WIDTH,
                      RowFormat.FLOAT32,
                      workers)) {
            DenseMatrix outputs =
                DenseMatrix.allocate(arena, distribution.count(comm.rank()), WIDTH);
            for (int i = 0; i < outputs.rows(); i++) {
              for (int j = 0; j < WIDTH; j++) {
                outputs.set(i, j, z[begin + i][j]);
              }
            }
            loss.add(all.lossAndGradient(outputs, PAIRS));
            for (int i = 0; i < outputs.rows(); i++) {
              for (int j = 0; j < WIDTH; j++) {
                // A sum of some fifty products below 2 / PAIRS in float32.
                assertThat(outputs.get(i, j))
                    .isCloseTo((float) expected[begin + i][j], within(1e-6f));
              }
            }
          }
        });
    assertThat(loss.sum()).isCloseTo(loss(), within(1e-6));
  }
}
