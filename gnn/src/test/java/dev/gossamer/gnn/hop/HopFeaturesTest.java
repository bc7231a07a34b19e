package dev.gossamer.gnn.hop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.ShareOf;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.exchange.ProcessGrid;
import dev.gossamer.gnn.fullgraph.SmallGraphs;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Mlp;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.Sgc;
import dev.gossamer.gnn.stack.Sign;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.layers.Kernels;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;

class HopFeaturesTest {
  private static final int N = 53;

  /// Each product sums at most `N` terms of about 1.
  private static final double TOLERANCE = 4 * N * Math.ulp(1f);

  /// Columns that fill no block, one, and more than two.
  private static final List<Integer> WIDTHS =
      List.of(1, HopFeatures.COLUMNS, 2 * HopFeatures.COLUMNS + 3);

  static Stream<Arguments> ranks() {
    List<Arguments> all = new ArrayList<>();
    for (int ranks : new int[] {1, 2, 3, 4}) {
      for (Kind kind : Kind.values()) {
        for (int c : new int[] {1, 2}) {
          ExchangeStrategy strategy = new ExchangeStrategy(kind, c, true);
          if (strategy.validFor(ranks)) {
            all.add(Arguments.of(ranks, strategy));
          }
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @ShareOf("ranks")
  void rowsAreThePowersOfTheGraphTimesTheFeatures(int ranks, ExchangeStrategy strategy) {
    for (LayerKind kind : List.of(new Sgc(1), new Sgc(3), new Sign(2))) {
      for (int width : WIDTHS) {
        for (boolean sparse : new boolean[] {false, true}) {
          // Of odd widths, a directed graph.
          try (GraphData data = SmallGraphs.of(N, width, width % 2 == 1, sparse, 7)) {
            Normalisation scaling = sparse ? Normalisation.SYMMETRIC : Normalisation.ROW_MEAN;
            NetworkSettings network = network(kind).withGraph(scaling, true);
            Placement placement = Placement.random(N, strategy.blocks(ranks), 5);
            double[][] expected = expected(data, network);
            float[][] found = new float[N][];
            run(
                ranks,
                world -> rows(world, strategy, new PlacedGraph(data, placement), network, found));
            for (int v = 0; v < N; v++) {
              assertThat(found[v]).hasSize(expected[v].length);
              for (int j = 0; j < found[v].length; j++) {
                assertThat((double) found[v][j]).isCloseTo(expected[v][j], within(TOLERANCE));
              }
            }
          }
        }
      }
    }
  }

  private static NetworkSettings network(LayerKind kind) {
    return NetworkSettings.of(kind);
  }

  private interface OnRank {
    void of(Communicator world);
  }

  private static void run(int ranks, OnRank what) {
    if (ranks == 1) {
      what.of(ThreadRanks.alone());
    } else {
      ThreadRanks.run(ranks, what::of);
    }
  }

  private static void rows(
      Communicator world,
      ExchangeStrategy strategy,
      PlacedGraph graph,
      NetworkSettings network,
      float[][] found) {
    try (Workers workers = new Workers(2);
        Arena arena = Arena.ofShared();
        ProcessGrid grid = new ProcessGrid(world, strategy.replication())) {
      int block = grid.row();
      Features own =
          graph.placement().blockFeatures(arena, graph.data().features(), block, workers);
      Kernels kernels = new Kernels(workers, Matmul.java());
      HopFeatures hops = new HopFeatures(grid, strategy, graph, kernels);
      if (hops.of(arena, network, own) instanceof Features.Dense dense) {
        float[][] rows = dense.x().toArray();
        int[] members = graph.placement().members(block);
        for (int i = 0; i < rows.length; i++) {
          found[members[i]] = rows[i];
        }
      }
    }
  }

  /// `P^K X`, or all powers side by side, by dense loops in float64.
  private static double[][] expected(GraphData data, NetworkSettings network) {
    double[][] p = propagation(data, network.normalisation());
    double[][] x = features(data.features());
    boolean all = network.kind() instanceof Sign;
    int count = network.precomputed().count();
    double[][] result = all ? x : new double[N][0];
    for (int k = 1; k <= count; k++) {
      x = times(p, x);
      result = all || k == count ? beside(result, x) : result;
    }
    return result;
  }

  /// A row for each target: scaled sums of its sources, itself included.
  private static double[][] propagation(GraphData data, Normalisation normalisation) {
    float[][] a = data.adjacency().toDense();
    double[] in = new double[N];
    double[] out = new double[N];
    for (int u = 0; u < N; u++) {
      a[u][u] = 1;
      for (int v = 0; v < N; v++) {
        out[u] += a[u][v];
        in[v] += a[u][v];
      }
    }
    double[][] p = new double[N][N];
    for (int u = 0; u < N; u++) {
      for (int v = 0; v < N; v++) {
        double scale = normalisation == Normalisation.ROW_MEAN ? in[v] : Math.sqrt(in[v] * out[u]);
        p[v][u] = a[u][v] / scale;
      }
    }
    return p;
  }

  private static double[][] features(Features features) {
    float[][] rows =
        features instanceof Features.Dense dense
            ? dense.x().toArray()
            : ((Features.Sparse) features).x().toDense();
    double[][] result = new double[N][rows[0].length];
    for (int v = 0; v < N; v++) {
      for (int j = 0; j < rows[v].length; j++) {
        result[v][j] = rows[v][j];
      }
    }
    return result;
  }

  private static double[][] times(double[][] p, double[][] x) {
    double[][] result = new double[N][x[0].length];
    for (int v = 0; v < N; v++) {
      for (int u = 0; u < N; u++) {
        for (int j = 0; j < x[0].length; j++) {
          result[v][j] += p[v][u] * x[u][j];
        }
      }
    }
    return result;
  }

  private static double[][] beside(double[][] a, double[][] b) {
    double[][] both = new double[N][a[0].length + b[0].length];
    for (int v = 0; v < N; v++) {
      System.arraycopy(a[v], 0, both[v], 0, a[v].length);
      System.arraycopy(b[v], 0, both[v], a[v].length, b[v].length);
    }
    return both;
  }

  @Test
  void otherNetworksReadTheFeaturesThemselves() {
    ExchangeStrategy strategy = new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true);
    try (GraphData data = SmallGraphs.of(N, 4, false, true, 7);
        Workers workers = new Workers(1);
        Arena arena = Arena.ofShared();
        ProcessGrid grid = new ProcessGrid(ThreadRanks.alone(), 1)) {
      PlacedGraph graph = PlacedGraph.onOneRank(data);
      HopFeatures hops =
          new HopFeatures(grid, strategy, graph, new Kernels(workers, Matmul.java()));
      assertThat(hops.of(arena, network(new Mlp()), data.features())).isSameAs(data.features());
      assertThat(HopPlan.keptBytes(network(new Mlp()), data, N)).isZero();
      assertThat(HopPlan.of(graph, strategy).workingBytes(network(new Mlp()), 0)).isZero();
    }
  }

  /// Two blocks of columns at least, and with several ranks what comes from others.
  @Test
  void thePlanBoundsWhatComputingTakes() {
    ExchangeStrategy strategy = new ExchangeStrategy(Kind.SPARSITY_AWARE, 1, true);
    try (GraphData data = SmallGraphs.of(N, 130, false, false, 7)) {
      long columns = 2L * N * HopFeatures.COLUMNS * Float.BYTES;
      HopPlan alone = HopPlan.of(PlacedGraph.onOneRank(data), strategy);
      long one = alone.workingBytes(network(new Sgc()), 0);
      assertThat(one).isBetween(columns, 2 * columns);
      HopPlan three = HopPlan.of(new PlacedGraph(data, Placement.random(N, 3, 5)), strategy);
      for (int rank = 0; rank < 3; rank++) {
        long remote = three.volume().rowsReceived(rank) * HopFeatures.COLUMNS * Float.BYTES;
        assertThat(three.workingBytes(network(new Sgc()), rank))
            .isBetween(columns / 3 + remote, 2 * columns + 2 * remote);
      }
      assertThat(HopPlan.keptBytes(network(new Sign(2)), data, 10))
          .isEqualTo(10L * 3 * 130 * Float.BYTES);
    }
  }
}
