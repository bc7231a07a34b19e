package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsrBuilderTest {
  private record Arc(int source, int target, float weight) {}

  private static EdgeStream stream(Arc[] arcs) {
    return sink -> {
      for (Arc arc : arcs) {
        sink.arc(arc.source(), arc.target(), arc.weight());
      }
    };
  }

  private static Arc[] random(SplittableRandom random, int vertices, int arcs) {
    Arc[] made = new Arc[arcs];
    for (int i = 0; i < arcs; i++) {
      // Few vertices, so that there are repeats and self loops; weights whose sum has no rounding.
      made[i] = new Arc(random.nextInt(vertices), random.nextInt(vertices), random.nextInt(64));
    }
    return made;
  }

  /// A sorted map per row.
  private static void check(CsrBuilder builder, Arc[] arcs) {
    check(builder, arcs, 2);
  }

  private static void check(CsrBuilder builder, Arc[] arcs, int threads) {
    TreeMap<Integer, TreeMap<Integer, Float>> oracle = new TreeMap<>();
    long entries = 0;
    for (Arc arc : arcs) {
      if (arc.source() == arc.target() && !builder.selfLoops()) {
        continue;
      }
      oracle
          .computeIfAbsent(arc.source(), v -> new TreeMap<>())
          .merge(arc.target(), arc.weight(), Float::sum);
      if (builder.symmetrise() && arc.source() != arc.target()) {
        oracle
            .computeIfAbsent(arc.target(), v -> new TreeMap<>())
            .merge(arc.source(), arc.weight(), Float::sum);
      }
    }
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix a = builder.build(arena, stream(arcs), threads);
      assertThat(a.rows()).isEqualTo(builder.vertices());
      assertThat(a.cols()).isEqualTo(builder.vertices());
      assertThat(a.values() != null).isEqualTo(builder.weighted());
      for (int v = 0; v < builder.vertices(); v++) {
        TreeMap<Integer, Float> row = oracle.getOrDefault(v, new TreeMap<>());
        assertThat(a.rowColumns(v))
            .containsExactly(row.keySet().stream().mapToInt(Integer::intValue).toArray());
        int k = 0;
        for (float weight : row.values()) {
          assertThat(a.value(a.rowPointer(v) + k++)).isEqualTo(builder.weighted() ? weight : 1f);
        }
        entries += k;
      }
      assertThat(a.nnz()).isEqualTo(entries);
      if (builder.symmetrise()) {
        assertThat(a.isSymmetric()).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 40})
  void equalsASortedMapPerRow(int vertices) {
    for (int seed = 0; seed < 8; seed++) {
      boolean symmetrise = (seed & 1) != 0;
      boolean selfLoops = (seed & 2) != 0;
      boolean weighted = (seed & 4) != 0;
      CsrBuilder builder = new CsrBuilder(vertices, symmetrise, selfLoops, weighted);
      for (int arcs : new int[] {0, 1, 5, 300}) {
        check(builder, random(new SplittableRandom(seed), vertices, arcs));
      }
    }
  }

  @Test
  void aRowLongerThanItsFirstBufferIsMerged() {
    Arc[] arcs = new Arc[9000];
    for (int i = 0; i < arcs.length; i++) {
      arcs[i] = new Arc(0, 1 + i * 7 % 4001, 1);
    }
    check(new CsrBuilder(4002, true, false, true), arcs);
    check(CsrBuilder.undirected(4002), arcs);
  }

  /// Arcs for several batches and blocks, half of them of a twentieth of the vertices, which are
  /// counted in ranges of several.
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void theNumberOfThreadsDoesNotMatter(int threads) {
    int vertices = 150_001;
    SplittableRandom random = new SplittableRandom(11);
    Arc[] arcs = new Arc[200_000];
    for (int i = 0; i < arcs.length; i++) {
      int most = random.nextBoolean() ? vertices : vertices / 20;
      arcs[i] = new Arc(vertices - 1 - random.nextInt(most), random.nextInt(most), i % 64);
    }
    check(new CsrBuilder(vertices, true, false, true), arcs, threads);
    check(new CsrBuilder(vertices, false, true, false), arcs, threads);
  }

  /// What the thread of the stream throws is thrown when others have begun.
  @Test
  void aStreamThatFailsLaterIsNotSwallowed() {
    int[] passes = new int[1];
    EdgeStream failing =
        sink -> {
          passes[0]++;
          for (int i = 0; i < 100_000; i++) {
            sink.arc(i % 7, i % 5, 1);
          }
          if (passes[0] == 2) {
            throw new IllegalStateException("the file ends");
          }
        };
    try (Arena arena = Arena.ofConfined()) {
      assertThatThrownBy(() -> CsrBuilder.directed(7).build(arena, failing, 2))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the file ends");
    }
  }

  /// Arcs that were not counted have no place.
  @Test
  void aStreamThatGrowsIsNotSwallowed() {
    int[] passes = new int[1];
    EdgeStream growing =
        sink -> {
          passes[0]++;
          for (int i = 0; i < 100_000 * passes[0]; i++) {
            sink.arc(i % 7, i % 5, 1);
          }
        };
    try (Arena arena = Arena.ofConfined()) {
      assertThatThrownBy(() -> CsrBuilder.directed(7).build(arena, growing, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void thereMayBeNoVertices() {
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix a = CsrBuilder.undirected(0).build(arena, sink -> {});
      assertThat(a.rows()).isZero();
      assertThat(a.nnz()).isZero();
    }
  }

  /// Sums of three floats depend on their order; here they do not.
  @Test
  void theOrderOfTheArcsDoesNotMatter() {
    List<float[]> arcs = new ArrayList<>();
    Random random = new Random(7);
    for (int i = 0; i < 500; i++) {
      arcs.add(new float[] {random.nextInt(6), random.nextInt(6), (float) random.nextGaussian()});
    }
    try (Arena arena = Arena.ofConfined()) {
      CsrMatrix first = weighted(arena, arcs);
      Collections.shuffle(arcs, random);
      CsrMatrix second = weighted(arena, arcs);
      assertThat(second.nnz()).isEqualTo(first.nnz());
      for (long e = 0; e < first.nnz(); e++) {
        assertThat(second.column(e)).isEqualTo(first.column(e));
        assertThat(second.value(e) == first.value(e)).isTrue();
      }
    }
  }

  private static CsrMatrix weighted(Arena arena, List<float[]> arcs) {
    return CsrBuilder.undirected(6)
        .withWeights()
        .build(arena, sink -> arcs.forEach(arc -> sink.arc((int) arc[0], (int) arc[1], arc[2])));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 3})
  void verticesOutOfRangeAreNamed(int vertex) {
    try (Arena arena = Arena.ofConfined()) {
      assertThatThrownBy(
              () -> CsrBuilder.undirected(3).build(arena, sink -> sink.arc(0, vertex, 1)))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessage("arc 0 -> %d in a graph of 3 vertices".formatted(vertex));
    }
  }

  @Test
  void memoryIsKnownBeforeItIsTaken() {
    // Twice 8 (n + 1) bytes of row pointers; 2 arcs stored for each, with 8 or 12 bytes an entry.
    assertThat(CsrBuilder.undirected(9).peakBytes(100)).isEqualTo(2 * (80 + 200 * 4));
    assertThat(new CsrBuilder(9, false, true, true).peakBytes(100)).isEqualTo(2 * 80 + 100 * 12);
  }
}
