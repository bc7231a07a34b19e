package dev.gossamer.gnn.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.link.LinkDecoder.Kind;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Kernels;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PairScoringTest {
  private static final int N = 50;
  private static final int F = 9;
  private static final int TYPES = 3;

  /// More than are scored at a time.
  private static final int PAIRS = 20_000;

  private final Arena arena = Arena.ofShared();
  private final SplittableRandom random = new SplittableRandom(5);
  private final DenseMatrix z = drawn(N, F);
  private final Map<String, DenseMatrix> weights = new HashMap<>();
  private final int[] firsts = random.ints(PAIRS, 0, N).toArray();
  private final int[] seconds = random.ints(PAIRS, 0, N).toArray();
  private final int[] types = random.ints(PAIRS, 0, TYPES).toArray();

  @AfterEach
  void close() {
    arena.close();
  }

  private DenseMatrix drawn(int rows, int cols) {
    DenseMatrix drawn = DenseMatrix.allocate(arena, rows, cols);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        drawn.set(i, j, (float) random.nextDouble(-1, 1));
      }
    }
    return drawn;
  }

  private float[] scores(LinkDecoder decoder, int threads, int[] ofTypes) {
    try (Workers workers = new Workers(threads)) {
      return new PairScoring(decoder, this::weight, z, new Kernels(workers, Matmul.java()))
          .scores(firsts, seconds, ofTypes);
    }
  }

  private DenseMatrix weight(String name) {
    return Objects.requireNonNull(weights.get(name));
  }

  private static List<String> names() {
    return List.of("knows", "likes", "owns");
  }

  private void weigh(Kind kind) {
    for (int type = 0; type < TYPES; type++) {
      weights.put("decoder.%d.weight".formatted(type), drawn(kind == Kind.DISTMULT ? 1 : F, F));
    }
    weights.put(LinkDecoder.HIDDEN_WEIGHT, drawn(F, F));
    weights.put(LinkDecoder.HIDDEN_BIAS, drawn(1, F));
    weights.put(LinkDecoder.OUTPUT_WEIGHT, drawn(TYPES, F));
    weights.put(LinkDecoder.OUTPUT_BIAS, drawn(1, TYPES));
  }

  /// The definitions of [Kind], in double precision.
  private double naive(Kind kind, boolean directed, int u, int v, int type) {
    double sum = kind == Kind.MLP ? weight(LinkDecoder.OUTPUT_BIAS).get(0, type) : 0;
    DenseMatrix w = weight("decoder.%d.weight".formatted(type));
    for (int i = 0; i < F; i++) {
      double first = z.get(u, i);
      switch (kind) {
        case DOT -> sum += first * z.get(v, i);
        case DISTMULT -> sum += (1 + w.get(0, i)) * first * z.get(v, i);
        case BILINEAR -> {
          for (int j = 0; j < F; j++) {
            double map = directed ? w.get(i, j) : (w.get(i, j) + w.get(j, i)) / 2;
            sum += first * ((i == j ? 1 : 0) + map) * z.get(v, j);
          }
        }
        case MLP -> {
          double hidden = weight(LinkDecoder.HIDDEN_BIAS).get(0, i);
          for (int j = 0; j < F; j++) {
            hidden += weight(LinkDecoder.HIDDEN_WEIGHT).get(j, i) * z.get(u, j) * z.get(v, j);
          }
          sum += weight(LinkDecoder.OUTPUT_WEIGHT).get(type, i) * Math.max(0, hidden);
        }
      }
    }
    return sum;
  }

  @ParameterizedTest
  @CsvSource({"DOT, false", "DISTMULT, false", "BILINEAR, false", "BILINEAR, true", "MLP, false"})
  void scoresAreThoseOfTheDefinition(Kind kind, boolean directed) {
    weigh(kind);
    LinkDecoder decoder =
        kind == Kind.DOT ? LinkDecoder.DOT : new LinkDecoder(kind, names(), directed);
    float[] found = scores(decoder, 2, types);
    for (int i = 0; i < PAIRS; i++) {
      // 2 f^2 products and sums of numbers below 4, each rounded by 2^-24 of its size.
      assertThat((double) found[i])
          .isCloseTo(naive(kind, directed, firsts[i], seconds[i], types[i]), within(4e-5));
    }
    assertThat(scores(decoder, 1, types)).isEqualTo(found);
  }

  @Test
  void ofNoPairsThereAreNoScores() {
    try (Workers workers = new Workers(1)) {
      PairScoring none =
          new PairScoring(LinkDecoder.DOT, this::weight, z, new Kernels(workers, Matmul.java()));
      assertThat(none.scores(new int[0], new int[0], new int[0])).isEmpty();
    }
  }
}
