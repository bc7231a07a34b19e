package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinkSplitTest {
  private static final int VERTICES = 300;

  private final Arena arena = Arena.ofConfined();

  @AfterEach
  void close() {
    arena.close();
  }

  /// Each vertex has edges to those at distances 1, 2, 4, ..., 128, and one to itself.
  private GraphData graph(boolean directed, boolean weighted) {
    CsrBuilder builder = new CsrBuilder(VERTICES, !directed, true, weighted);
    CsrMatrix adjacency =
        builder.build(
            arena,
            sink -> {
              for (int v = 0; v < VERTICES; v++) {
                sink.arc(v, v, 0.5f);
                for (int d = 1; d <= 128; d *= 2) {
                  sink.arc(v, (v + d) % VERTICES, d);
                }
              }
            });
    GraphData.Info info = GraphData.Info.of("ring");
    return GraphData.of(arena, directed ? info.asDirected() : info, adjacency);
  }

  private static Set<List<Integer>> pairs(Links links) {
    Set<List<Integer>> pairs =
        new TreeSet<>(
            (a, b) -> a.get(0).equals(b.get(0)) ? a.get(1) - b.get(1) : a.get(0) - b.get(0));
    for (int i = 0; i < links.count(); i++) {
      pairs.add(List.of(links.sources()[i], links.targets()[i]));
    }
    return pairs;
  }

  /// The entries of a matrix.
  static Set<List<Integer>> arcs(CsrMatrix a) {
    Set<List<Integer>> arcs = new HashSet<>();
    for (int v = 0; v < a.rows(); v++) {
      for (int u : a.rowColumns(v)) {
        arcs.add(List.of(v, u));
      }
    }
    return arcs;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyEdgeHasOneUse(boolean directed) {
    GraphData data = graph(directed, false);
    LinkSplit.Parts parts = new LinkSplit(LinkSplit.Proportions.DEFAULT, 0.3, 7).of(arena, data);
    List<List<Integer>> all = new ArrayList<>(arcs(parts.messages()));
    for (Split part : List.of(Split.TRAIN, Split.VALIDATION, Split.TEST)) {
      for (List<Integer> pair : pairs(parts.scored(part))) {
        all.add(pair);
        if (!directed) {
          all.add(pair.reversed());
        }
      }
    }
    assertThat(all).doesNotHaveDuplicates().hasSameElementsAs(arcs(data.adjacency()));
    assertThat(parts.messages().isCanonical()).isTrue();
    assertThat(parts.messages().isSymmetric()).isEqualTo(!directed);
  }

  @Test
  void bothDirectionsHaveTheSameUse() {
    CsrMatrix both =
        CsrBuilder.undirected(VERTICES)
            .build(
                arena,
                sink -> {
                  for (int v = 0; v < VERTICES; v++) {
                    sink.arc(v, (v + 3) % VERTICES, 1);
                  }
                });
    GraphData data = GraphData.of(arena, GraphData.Info.of("both").asDirected(), both);
    LinkSplit.Parts parts = new LinkSplit(LinkSplit.Proportions.DEFAULT, 0.3, 7).of(arena, data);
    for (Split part : List.of(Split.TRAIN, Split.VALIDATION, Split.TEST)) {
      Set<List<Integer>> pairs = pairs(parts.scored(part));
      assertThat(pairs).isNotEmpty().allMatch(pair -> pairs.contains(pair.reversed()));
    }
  }

  /// Each vertex is of one country, the only vertex of its type.
  @Test
  void edgesThatNoPairCanBeComparedWithStayInTheGraph() {
    int people = 40;
    CsrMatrix adjacency =
        CsrBuilder.undirected(people + 1)
            .build(
                arena,
                sink -> {
                  for (int v = 0; v < people; v++) {
                    sink.arc(v, (v + 1) % people, 1);
                    sink.arc(v, people, 1);
                  }
                });
    GraphTypes types =
        new GraphTypes(
            List.of(
                new GraphTypes.OfVertices("person", people),
                new GraphTypes.OfVertices("country", 1)),
            List.of("edge"),
            null);
    GraphData data = GraphData.of(arena, GraphData.Info.of("people"), adjacency).withTypes(types);
    LinkSplit.Parts parts = new LinkSplit(LinkSplit.Proportions.DEFAULT, 0.3, 7).of(arena, data);
    assertThat(parts.edges()).isPositive().isLessThanOrEqualTo(people);
    assertThat(parts.messages().rowLength(people)).isEqualTo(people);
    assertThat(arcs(parts.messages())).contains(List.of(3, people), List.of(people, 3));
  }

  @Test
  void withoutSupervisedEdgesAllTrainingEdgesAreInTheGraphAndInTheLoss() {
    GraphData data = graph(false, false);
    LinkSplit.Parts parts = new LinkSplit(LinkSplit.Proportions.DEFAULT, 0, 7).of(arena, data);
    assertThat(arcs(parts.messages())).containsAll(pairs(parts.train()));
    assertThat(parts.messages().nnz()).isEqualTo(2L * parts.train().count() + VERTICES);
  }

  @Test
  void sharesAreThoseThatAreAskedFor() {
    GraphData data = graph(false, false);
    long edges = data.edges() - VERTICES;
    LinkSplit.Parts parts =
        new LinkSplit(new LinkSplit.Proportions(0.6, 0.15), 0.4, 3).of(arena, data);
    // Five standard deviations of a binomial share.
    double most = 5 * Math.sqrt(0.25 / edges);
    assertThat(parts.test().count() / (double) edges).isCloseTo(0.25, within(most));
    assertThat(parts.validation().count() / (double) edges).isCloseTo(0.15, within(most));
    assertThat(parts.train().count() / (double) edges).isCloseTo(0.24, within(most));
  }

  @Test
  void weightsStayWithTheirEdges() {
    GraphData data = graph(false, true);
    CsrMatrix messages =
        new LinkSplit(LinkSplit.Proportions.DEFAULT, 0.3, 7).of(arena, data).messages();
    for (int v = 0; v < VERTICES; v++) {
      for (long entry = messages.rowPointer(v); entry < messages.rowPointer(v + 1); entry++) {
        long original = data.adjacency().find(v, messages.column(entry));
        assertThat(messages.value(entry)).isEqualTo(data.adjacency().value(original));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void typesStayWithTheirEdgesAndEachIsPredicted(boolean directed) {
    GraphData plain = graph(directed, false);
    CsrMatrix a = plain.adjacency();
    MemorySegment masks = arena.allocate(a.nnz() * Integer.BYTES, Integer.BYTES);
    for (int v = 0; v < VERTICES; v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        masks.setAtIndex(ValueLayout.JAVA_INT, e, 1 + (v + a.column(e)) % 3);
      }
    }
    GraphTypes types =
        new GraphTypes(
            List.of(new GraphTypes.OfVertices("all", VERTICES)), List.of("one", "two"), masks);
    GraphData data = plain.withTypes(types);
    LinkSplit split = new LinkSplit(LinkSplit.Proportions.DEFAULT, 0.3, 7);
    LinkSplit.Parts parts = split.of(arena, data);
    LinkSplit.Parts untyped = split.of(arena, plain);
    assertThat(arcs(parts.messages())).isEqualTo(arcs(untyped.messages()));
    GraphTypes left = Objects.requireNonNull(parts.messageTypes());
    for (int v = 0; v < VERTICES; v++) {
      for (long e = parts.messages().rowPointer(v); e < parts.messages().rowPointer(v + 1L); e++) {
        long original = a.find(v, parts.messages().column(e));
        for (int type = 0; type < 2; type++) {
          assertThat(left.has(e, type)).isEqualTo(types.has(original, type));
        }
      }
    }
    for (Split part : List.of(Split.TRAIN, Split.VALIDATION, Split.TEST)) {
      Links links = parts.scored(part);
      assertThat(pairs(links)).isEqualTo(pairs(untyped.scored(part)));
      Set<List<Integer>> typed = new HashSet<>();
      for (int i = 0; i < links.count(); i++) {
        int source = links.sources()[i];
        int target = links.targets()[i];
        assertThat(types.has(a.find(source, target), links.type(i))).isTrue();
        assertThat(typed.add(List.of(source, target, links.type(i)))).isTrue();
      }
      long all =
          pairs(links).stream()
              .mapToInt(pair -> Integer.bitCount(1 + (pair.get(0) + pair.get(1)) % 3))
              .sum();
      assertThat(links.count()).isEqualTo((int) all);
    }
    assertThat(data.withLinks(task(parts)).withoutLinks().types()).isEqualTo(types);
  }

  /// The task of some parts, with the fewest pairs.
  static LinkTask task(LinkSplit.Parts parts) {
    return new LinkTask(
        parts,
        4,
        1,
        Negatives.By.UNIFORM,
        new LinkTask.Candidates(1, LinkTask.CandidateSet.OWN),
        0);
  }

  @Test
  void partsDependOnTheSeedAndOnThePairAlone() {
    GraphData data = graph(false, false);
    LinkSplit split = new LinkSplit(LinkSplit.Proportions.DEFAULT, 0.3, 7);
    LinkSplit.Parts parts = split.of(arena, data);
    GraphData smaller = GraphData.of(arena, data.info(), parts.messages());
    LinkSplit.Parts again = split.of(arena, smaller);
    assertThat(arcs(again.messages())).isEqualTo(arcs(parts.messages()));
    assertThat(again.test().count()).isZero();
    assertThat(pairs(new LinkSplit(LinkSplit.Proportions.DEFAULT, 0.3, 8).of(arena, data).test()))
        .isNotEqualTo(pairs(parts.test()));
  }

  @Test
  void sharesAreChecked() {
    assertThatThrownBy(() -> new LinkSplit.Proportions(0.9, 0.1))
        .isInstanceOf(InvalidSettingException.class);
    assertThatThrownBy(() -> new LinkSplit(LinkSplit.Proportions.DEFAULT, 1, 0))
        .isInstanceOf(InvalidSettingException.class);
  }
}
