package dev.gossamer.gnn.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.link.LinkDecoder.Kind;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RankPairsTest {
  private static final int N = 50;
  private static final int WIDTH = 11;
  private static final int PAIRS = 700;
  private static final List<String> TYPES = List.of("likes", "knows", "calls");

  private static final LinkDecoder LAYERS = new LinkDecoder(Kind.MLP, TYPES, false);

  /// A pair may be drawn twice, and against several edges.
  private record Pair(int first, int second, int type, boolean edge) {}

  private final List<Pair> pairs = new ArrayList<>();
  private final float[][] z = new float[N][WIDTH];
  private final SplittableRandom random = new SplittableRandom(4);

  RankPairsTest() {
    while (pairs.size() < PAIRS) {
      int a = random.nextInt(N);
      int b = random.nextInt(N);
      if (a != b) {
        pairs.add(new Pair(a, b, random.nextInt(TYPES.size()), random.nextBoolean()));
      }
    }
    for (float[] row : z) {
      for (int j = 0; j < WIDTH; j++) {
        row[j] = (float) random.nextDouble(-1, 1);
      }
    }
  }

  static Stream<Arguments> decoders() {
    return Stream.of(
            LinkDecoder.DOT,
            new LinkDecoder(Kind.DISTMULT, TYPES, false),
            new LinkDecoder(Kind.BILINEAR, TYPES, false),
            new LinkDecoder(Kind.BILINEAR, TYPES, true),
            LAYERS)
        .flatMap(decoder -> Stream.of(1, 2, 3, 5).map(ranks -> Arguments.of(decoder, ranks)));
  }

  private static ParameterLayout layout(LinkDecoder decoder) {
    ParameterLayout.Builder layout = ParameterLayout.builder();
    decoder.declare(layout, WIDTH, true);
    return layout.build();
  }

  /// The parameters of a type, as they are laid out.
  private static int at(LinkDecoder decoder, int type, int i, int j) {
    int rows = decoder.kind() == Kind.DISTMULT ? 1 : WIDTH;
    return (type * rows + i) * WIDTH + j;
  }

  /// The share of an element of a type's map that is not the dot product.
  private static double map(LinkDecoder decoder, float[] weights, int type, int i, int j) {
    return switch (decoder.kind()) {
      case DOT, MLP -> 0;
      case DISTMULT -> i == j ? weights[at(decoder, type, 0, j)] : 0;
      case BILINEAR ->
          decoder.directed()
              ? weights[at(decoder, type, i, j)]
              : (weights[at(decoder, type, i, j)] + weights[at(decoder, type, j, i)]) / 2.0;
    };
  }

  /// Loss, gradient of each vertex and gradient of the parameters, by their definitions.
  @SuppressWarnings("ArrayRecordComponent")
  private record Expected(double loss, double[][] vertices, double[] parameters) {}

  private Expected expected(LinkDecoder decoder, float[] weights) {
    return decoder.kind() == Kind.MLP ? ofLayers(weights) : ofMaps(decoder, weights);
  }

  /// The hidden layer of a pair, before its activation, by `W`, then `b`.
  private double[] hidden(float[] weights, float[] u, float[] v) {
    double[] sums = new double[WIDTH];
    for (int j = 0; j < WIDTH; j++) {
      sums[j] = weights[WIDTH * WIDTH + j];
      for (int i = 0; i < WIDTH; i++) {
        sums[j] += (double) u[i] * v[i] * weights[i * WIDTH + j];
      }
    }
    return sums;
  }

  /// Where the weights of a type's output begin; its bias follows those of all types.
  private static int output(int type) {
    return WIDTH * WIDTH + WIDTH + type * WIDTH;
  }

  private static int outputBias(int type) {
    return output(TYPES.size()) + type;
  }

  private double layers(float[] weights, float[] u, float[] v, int type) {
    double[] sums = hidden(weights, u, v);
    double score = weights[outputBias(type)];
    for (int j = 0; j < WIDTH; j++) {
      score += weights[output(type) + j] * Math.max(0, sums[j]);
    }
    return score;
  }

  private Expected ofLayers(float[] weights) {
    double loss = 0;
    double[][] vertices = new double[N][WIDTH];
    double[] parameters = new double[weights.length];
    for (Pair pair : pairs) {
      float[] u = z[pair.first];
      float[] v = z[pair.second];
      double[] sums = hidden(weights, u, v);
      double score = layers(weights, u, v, pair.type);
      loss += Math.log1p(Math.exp(pair.edge ? -score : score)) / PAIRS;
      double slope = (1 / (1 + Math.exp(-score)) - (pair.edge ? 1 : 0)) / PAIRS;
      parameters[outputBias(pair.type)] += slope;
      for (int j = 0; j < WIDTH; j++) {
        if (sums[j] > 0) {
          parameters[output(pair.type) + j] += slope * sums[j];
          double ofSum = slope * weights[output(pair.type) + j];
          parameters[WIDTH * WIDTH + j] += ofSum;
          for (int i = 0; i < WIDTH; i++) {
            parameters[i * WIDTH + j] += ofSum * u[i] * v[i];
            vertices[pair.first][i] += ofSum * weights[i * WIDTH + j] * v[i];
            vertices[pair.second][i] += ofSum * weights[i * WIDTH + j] * u[i];
          }
        }
      }
    }
    return new Expected(loss, vertices, parameters);
  }

  private Expected ofMaps(LinkDecoder decoder, float[] weights) {
    double loss = 0;
    double[][] vertices = new double[N][WIDTH];
    double[] parameters = new double[weights.length];
    for (Pair pair : pairs) {
      float[] u = z[pair.first];
      float[] v = z[pair.second];
      double score = 0;
      for (int i = 0; i < WIDTH; i++) {
        for (int j = 0; j < WIDTH; j++) {
          double m = (i == j ? 1 : 0) + map(decoder, weights, pair.type, i, j);
          score += u[i] * m * v[j];
        }
      }
      loss += Math.log1p(Math.exp(pair.edge ? -score : score)) / PAIRS;
      double slope = (1 / (1 + Math.exp(-score)) - (pair.edge ? 1 : 0)) / PAIRS;
      for (int i = 0; i < WIDTH; i++) {
        for (int j = 0; j < WIDTH; j++) {
          double m = (i == j ? 1 : 0) + map(decoder, weights, pair.type, i, j);
          vertices[pair.first][i] += slope * m * v[j];
          vertices[pair.second][j] += slope * u[i] * m;
          double ofMap = slope * u[i] * v[j];
          switch (decoder.kind()) {
            case DOT, MLP -> {}
            case DISTMULT -> parameters[at(decoder, pair.type, 0, j)] += i == j ? ofMap : 0;
            case BILINEAR -> {
              parameters[at(decoder, pair.type, i, j)] += decoder.directed() ? ofMap : ofMap / 2;
              parameters[at(decoder, pair.type, j, i)] += decoder.directed() ? 0 : ofMap / 2;
            }
          }
        }
      }
    }
    return new Expected(loss, vertices, parameters);
  }

  private List<long[]> mine(
      LinkDecoder decoder, Communicator comm, RowDistribution distribution, int ranks) {
    List<PairList> lists = Stream.generate(PairList::new).limit(decoder.groups()).toList();
    for (int i = comm.rank(); i < PAIRS; i += ranks) {
      Pair pair = pairs.get(i);
      lists.get(decoder.group(pair.type, false)).add(pair.first, pair.second, pair.edge);
      lists.get(decoder.group(pair.type, true)).add(pair.second, pair.first, pair.edge);
    }
    return lists.stream().map(list -> list.toOwners(comm, distribution)).toList();
  }

  @Test
  void layersScoreAVertexWithAllOthers() {
    float[] weights = weights(LAYERS);
    int[] vertices = {3, 49, 3};
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(2)) {
      DenseState state = state(arena, LAYERS, weights);
      DenseMatrix table = DenseMatrix.of(arena, z);
      try (PairNetwork layers =
          new PairNetwork(2, table, state::weight, new Kernels(workers, Matmul.java()))) {
        DenseMatrix block = DenseMatrix.allocate(arena, 2, 13);
        layers.with(vertices).compute(1, 30, block);
        for (int q = 0; q < 2; q++) {
          for (int j = 0; j < 13; j++) {
            // A sum of eleven products of sums of eleven in float32.
            assertThat((double) block.get(q, j))
                .isCloseTo(layers(weights, z[vertices[1 + q]], z[30 + j], 2), within(2e-6));
          }
        }
      }
    }
  }

  private float[] weights(LinkDecoder decoder) {
    float[] weights = new float[(int) layout(decoder).count()];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (float) random.nextDouble(-0.5, 0.5);
    }
    return weights;
  }

  private static DenseState state(Arena arena, LinkDecoder decoder, float[] weights) {
    DenseState state = new DenseState(arena, layout(decoder));
    for (int i = 0; i < weights.length; i++) {
      state.weights().setAtIndex(ValueLayout.JAVA_FLOAT, i, weights[i]);
      // Of an earlier step.
      state.gradients().setAtIndex(ValueLayout.JAVA_FLOAT, i, 7);
    }
    return state;
  }

  @ParameterizedTest
  @MethodSource("decoders")
  void lossAndGradientsAreThoseOfTheDefinition(LinkDecoder decoder, int ranks) {
    RowDistribution distribution = RowDistribution.even(N, ranks);
    float[] weights = weights(decoder);
    DoubleAdder loss = new DoubleAdder();
    ConcurrentLinkedQueue<float[]> ofRanks = new ConcurrentLinkedQueue<>();
    Expected expected = expected(decoder, weights);
    ThreadRanks.run(
        ranks,
        comm -> {
          int begin = distribution.begin(comm.rank());
          try (Arena arena = Arena.ofShared();
              Workers workers = new Workers(2);
              RankPairs all =
                  new RankPairs(
                      comm,
                      distribution,
                      decoder,
                      mine(decoder, comm, distribution, ranks),
                      WIDTH,
                      new Kernels(workers, Matmul.java()))) {
            DenseState state = state(arena, decoder, weights);
            DenseMatrix outputs =
                DenseMatrix.allocate(arena, distribution.count(comm.rank()), WIDTH);
            for (int i = 0; i < outputs.rows(); i++) {
              for (int j = 0; j < WIDTH; j++) {
                outputs.set(i, j, z[begin + i][j]);
              }
            }
            loss.add(all.lossAndGradient(outputs, PAIRS, state));
            ofRanks.add(state.gradients().toArray(ValueLayout.JAVA_FLOAT));
            for (int i = 0; i < outputs.rows(); i++) {
              for (int j = 0; j < WIDTH; j++) {
                // A sum of some fifty products below 8 / PAIRS in float32.
                assertThat(outputs.get(i, j))
                    .isCloseTo((float) expected.vertices[begin + i][j], within(2e-6f));
              }
            }
          }
        });
    assertThat(loss.sum()).isCloseTo(expected.loss, within(1e-6));
    for (int i = 0; i < weights.length; i++) {
      double sum = 0;
      for (float[] mine : ofRanks) {
        sum += mine[i];
      }
      // A sum of some four hundred products below 1 / PAIRS in float32.
      assertThat(sum).as("parameter %d", i).isCloseTo(expected.parameters[i], within(2e-6));
    }
  }
}
