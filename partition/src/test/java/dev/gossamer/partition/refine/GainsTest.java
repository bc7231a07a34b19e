package dev.gossamer.partition.refine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.partition.Graphs;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import dev.gossamer.partition.refine.Gains.Move;
import dev.gossamer.partition.refine.Gains.Targets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Gains against the objective, counted from its definition before and after every move.
class GainsTest {
  private static final CsrMatrix PATTERN = Graphs.rmat(300, 9);
  private static final int N = PATTERN.cols();

  private static LevelGraph graph() {
    int[] halves = new int[N];
    Arrays.setAll(halves, v -> 1 + v % 3);
    int[] ones = new int[N];
    Arrays.fill(ones, 1);
    return LevelGraph.input(PATTERN, halves, new int[][] {ones});
  }

  private static PartLoads roomy(int k) {
    long[] caps = new long[k];
    Arrays.fill(caps, N);
    return new PartLoads(new long[][] {caps});
  }

  private static int[] scattered(int k) {
    int[] part = new int[N];
    Arrays.setAll(part, v -> (v * 31 + v / 7) % k);
    return part;
  }

  private static long cut(int[] part) {
    long twice = 0;
    for (int v = 0; v < N; v++) {
      for (int u : PATTERN.rowColumns(v)) {
        twice += part[u] == part[v] ? 0 : 2 + v % 3 + u % 3;
      }
    }
    return twice / 2;
  }

  private static long volume(int[] part, long[] send, long[] receive) {
    long cost = 0;
    for (int v = 0; v < N; v++) {
      Set<Integer> others = new HashSet<>();
      for (int u : PATTERN.rowColumns(v)) {
        others.add(part[u]);
      }
      others.remove(part[v]);
      for (int q : others) {
        cost += send[part[v]] + receive[q];
      }
    }
    return cost;
  }

  private static long[] prices(int k, long seed) {
    Random random = new Random(seed);
    return random.longs(k, 1, 50).toArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 17, 64, 65, 130})
  void volumeGainsAreWhatThePricedVolumeFallsBy(int k) {
    int[] part = scattered(k);
    long[] send = prices(k, 1);
    long[] receive = prices(k, 2);
    Random random = new Random(k);
    Move move = new Move(k);
    try (VolumeGains gains = new VolumeGains(graph(), part, roomy(k))) {
      System.arraycopy(send, 0, gains.sendPrice(), 0, k);
      System.arraycopy(receive, 0, gains.receivePrice(), 0, k);
      int moves = 0;
      for (int i = 0; i < 150; i++) {
        int v = random.nextInt(N);
        gains.best(v, Targets.FEASIBLE, move);
        if (move.target == part[v]) {
          continue;
        }
        long before = volume(part, send, receive);
        assertThat(move.gain).isEqualTo(bestByDefinition(part, v, k, before, send, receive));
        gains.apply(v, move.target);
        assertThat(before - volume(part, send, receive)).isEqualTo(move.gain);
        moves++;
      }
      assertThat(moves).isGreaterThan(30);
      assertThat(Arrays.stream(gains.send()).sum())
          .isEqualTo(volume(part, ones(k), new long[k]))
          .isEqualTo(Arrays.stream(gains.receive()).sum());
    }
  }

  private static long[] ones(int k) {
    long[] ones = new long[k];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static long bestByDefinition(
      int[] part, int v, int k, long before, long[] send, long[] receive) {
    int own = part[v];
    long best = Long.MIN_VALUE;
    Set<Integer> adjacent = new HashSet<>();
    for (int u : PATTERN.rowColumns(v)) {
      adjacent.add(part[u]);
    }
    for (int b = 0; b < k; b++) {
      if (b != own && adjacent.contains(b)) {
        part[v] = b;
        best = Math.max(best, before - volume(part, send, receive));
      }
    }
    part[v] = own;
    return best;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 5, 40})
  void cutGainsAreWhatTheCutFallsBy(int k) {
    int[] part = scattered(k);
    Random random = new Random(k);
    Move move = new Move(k);
    CutGains gains = new CutGains(graph(), part, roomy(k));
    int moves = 0;
    for (int i = 0; i < 150; i++) {
      int v = random.nextInt(N);
      gains.best(v, Targets.FEASIBLE, move);
      if (move.target == part[v]) {
        continue;
      }
      long before = cut(part);
      gains.apply(v, move.target);
      assertThat(before - cut(part)).isEqualTo(move.gain);
      moves++;
    }
    assertThat(moves).isGreaterThan(30);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 17, 64, 65, 130})
  void clusterMovesAreForeseen(int k) {
    int[] part = scattered(k);
    Random random = new Random(k);
    try (VolumeGains gains = new VolumeGains(graph(), part, roomy(k))) {
      ClusterMove move = new ClusterMove(gains);
      for (int i = 0; i < 150; i++) {
        int a = random.nextInt(k);
        int b = (a + 1 + random.nextInt(k - 1)) % k;
        int[] all = IntStream.range(0, N).filter(v -> part[v] == a).toArray();
        int size = Math.min(all.length, 1 + random.nextInt(12));
        if (size == 0) {
          continue;
        }
        long[] send = gains.send().clone();
        long[] receive = gains.receive().clone();
        move.gather(all, 0, size);
        move.target(b);
        for (int v : Arrays.copyOf(all, size)) {
          gains.apply(v, b);
        }
        assertThat(sum(send, move.send())).isEqualTo(gains.send());
        assertThat(sum(receive, move.receive())).isEqualTo(gains.receive());
      }
      assertThat(Arrays.stream(gains.send()).sum()).isEqualTo(volume(part, ones(k), new long[k]));
    }
  }

  private static long[] sum(long[] a, long[] b) {
    long[] sum = new long[a.length];
    Arrays.setAll(sum, i -> a[i] + b[i]);
    return sum;
  }

  /// Two parts whose communities lie crosswise: no vertex gains by moving alone, and there is no
  /// room for one of the clusters without the other.
  @Test
  void clustersChangePlacesWhereThereIsNoRoom() {
    int size = 6;
    int[][] edges = new int[4 * size * (size - 1) / 2 + 2 * size * 4][];
    int count = 0;
    for (int block = 0; block < 4; block++) {
      for (int i = 0; i < size; i++) {
        for (int j = 0; j < i; j++) {
          edges[count++] = new int[] {block * size + i, block * size + j};
        }
      }
    }
    for (int i = 0; i < 4 * size; i++) {
      int other = 2 * size + (i / 4 + i % 4) % size;
      edges[count++] = new int[] {i / 4, other};
      edges[count++] = new int[] {size + i / 4, size + other};
    }
    CsrMatrix pattern = Graphs.of(4 * size, edges);
    int[] ones = new int[4 * size];
    Arrays.fill(ones, 1);
    LevelGraph graph = LevelGraph.input(pattern, ones, new int[][] {ones});
    int[] part = new int[4 * size];
    int[] cluster = new int[4 * size];
    Arrays.setAll(part, v -> v / (2 * size));
    Arrays.setAll(cluster, v -> v / size);
    long[] caps = {part.length / 2, part.length / 2};
    try (VolumeGains gains = new VolumeGains(graph, part, new PartLoads(new long[][] {caps}))) {
      assertThat(Arrays.stream(gains.send()).sum()).isEqualTo(part.length);
      new ClusterSearch(gains, new ClusterLevel(cluster, 4), 1, false, 1).round();
      assertThat(Arrays.stream(gains.send()).sum()).isZero();
      assertThat(part[0]).isEqualTo(part[2 * size]).isNotEqualTo(part[size]);
    }
  }
}
