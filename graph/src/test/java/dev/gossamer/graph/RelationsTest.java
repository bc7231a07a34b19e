package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.graph.GraphTypes.OfVertices;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RelationsTest {
  private static final int N = 30;
  private static final List<String> NAMES = List.of("cites", "writes", "likes");

  private static GraphData graph(Arena arena, boolean directed, boolean typed) {
    Random random = new Random(3);
    CsrMatrix a =
        new CsrBuilder(N, !directed, true, false)
            .build(
                arena,
                sink -> {
                  Random edges = new Random(4);
                  for (int i = 0; i < 100; i++) {
                    sink.arc(edges.nextInt(N - 1), edges.nextInt(N - 1), 1);
                  }
                });
    GraphData.Info info = GraphData.Info.of("small");
    GraphData data = GraphData.of(arena, directed ? info.asDirected() : info, a);
    if (!typed) {
      return data;
    }
    MemorySegment masks = arena.allocate(a.nnz() * Integer.BYTES, Integer.BYTES);
    for (int u = 0; u < N; u++) {
      for (long e = a.rowPointer(u); e < a.rowPointer(u + 1L); e++) {
        int v = a.column(e);
        int mask = 1 + random.nextInt(7);
        long mirrored = directed || v >= u ? -1 : a.find(v, u);
        masks.setAtIndex(
            ValueLayout.JAVA_INT,
            e,
            mirrored < 0 ? mask : masks.getAtIndex(ValueLayout.JAVA_INT, mirrored));
      }
    }
    return data.withTypes(new GraphTypes(List.of(new OfVertices("all", N)), NAMES, masks));
  }

  /// Whether messages pass from `u` to `v` by a relation, from the original graph.
  private static boolean expected(GraphData data, int r, int u, int v) {
    int types = data.types() == null ? 1 : NAMES.size();
    long edge = r < types ? data.adjacency().find(u, v) : data.adjacency().find(v, u);
    GraphTypes of = data.types();
    return edge >= 0 && (of == null || of.has(edge, r % types));
  }

  private static void assertRelations(boolean directed, boolean typed) {
    try (Arena arena = Arena.ofConfined();
        GraphData data = graph(Arena.ofShared(), directed, typed)) {
      GraphData found = Relations.of(arena, data);
      Relations relations = Objects.requireNonNull(found.relations());
      int count = relations.names().size();
      assertThat(count).isEqualTo((typed ? 3 : 1) * (directed ? 2 : 1));
      CsrMatrix a = found.adjacency();
      assertThat(a.withValues(null).isSymmetric()).isTrue();
      assertThat(a.isCanonical()).isTrue();
      assertThat(found.info().directed()).isFalse();
      assertThat(found.edges()).isEqualTo(data.edges());
      for (int v = 0; v < N; v++) {
        for (int u = 0; u < N; u++) {
          long entry = a.find(v, u);
          for (int r = 0; r < count; r++) {
            boolean has = entry >= 0 && (relations.sets().get((int) a.value(entry)) >>> r & 1) != 0;
            assertThat(has).isEqualTo(expected(data, r, u, v));
          }
        }
      }
      assertThat(new TreeSet<>(relations.sets())).hasSameSizeAs(relations.sets());
      assertThat(Relations.of(arena, found)).isSameAs(found);
    }
  }

  @Test
  void messagesPassAlongAndAgainstEachTypeOfEdges() {
    assertRelations(true, true);
    assertRelations(true, false);
  }

  @Test
  void anUndirectedGraphHasARelationForEachType() {
    assertRelations(false, true);
    assertRelations(false, false);
  }

  @Test
  void namesSayTheDirection() {
    try (GraphData data = graph(Arena.ofShared(), true, true)) {
      assertThat(Relations.named(data).names())
          .containsExactly(
              "cites", "writes", "likes", "cites (inverse)", "writes (inverse)", "likes (inverse)");
    }
    try (GraphData data = graph(Arena.ofShared(), true, false)) {
      assertThat(Relations.named(data).names()).containsExactly("edge", "edge (inverse)");
    }
  }

  /// The memory of both graphs counts, and what they share once.
  @Test
  void theMemoryOfBothGraphsCounts() {
    try (Arena arena = Arena.ofConfined();
        GraphData data = graph(Arena.ofShared(), false, true)) {
      long nnz = data.adjacency().nnz();
      long given = bytes(data);
      assertThat(bytes(Relations.of(arena, data))).isEqualTo(given + 2 * 4 * nnz);
    }
  }

  private static long bytes(GraphData data) {
    return data.graphSegments().stream().mapToLong(MemorySegment::byteSize).sum();
  }

  @Test
  void tooManyAreRefused() {
    List<String> names = IntStream.range(0, 65).mapToObj(Integer::toString).toList();
    assertThatThrownBy(() -> new Relations(names, List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("relations: expected 1 to 64, found 65");
    assertThatThrownBy(() -> new Relations(Collections.emptyList(), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
