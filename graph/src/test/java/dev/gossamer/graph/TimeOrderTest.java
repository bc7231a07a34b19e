package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.EdgeTimes.Unit;
import dev.gossamer.graph.LinkSplit.By;
import dev.gossamer.graph.LinkSplit.Proportions;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeOrderTest {
  private static final int N = 60;
  private static final int EDGES = 500;

  private final Arena arena = Arena.ofConfined();

  /// The edges that a graph is made of.
  private int[] from = new int[0];

  private int[] to = new int[0];
  private double[] times = new double[0];

  @AfterEach
  void close() {
    arena.close();
  }

  private static RandomGenerator random(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /// @param distinct times, of both signs
  private GraphData graph(boolean directed, int distinct, long seed) {
    RandomGenerator random = random(seed);
    double[] some =
        random.doubles(distinct).map(x -> Math.pow(10, 20 * x - 10) * (x < 0.3 ? -1 : 1)).toArray();
    from = random.ints(EDGES, 0, N).toArray();
    to = random.ints(EDGES, 0, N).toArray();
    times = random.ints(EDGES, 0, distinct).mapToDouble(i -> some[i]).toArray();
    GraphDataBuilder builder =
        GraphData.builder(N).name("timed").edges(from, to).times(Unit.NUMBERS, times);
    return (directed ? builder.directed() : builder).build();
  }

  private static List<Integer> pair(int a, int b) {
    return List.of(Math.min(a, b), Math.max(a, b));
  }

  /// By the definition: pairs sorted by the earliest time of their edges, those of one time in the
  /// part of the first of them.
  private Map<List<Integer>, Split> expected(Proportions shares) {
    Map<List<Integer>, Double> earliest = new HashMap<>();
    for (int e = 0; e < from.length; e++) {
      if (from[e] != to[e]) {
        earliest.merge(pair(from[e], to[e]), times[e], Math::min);
      }
    }
    double[] sorted = earliest.values().stream().mapToDouble(t -> t).sorted().toArray();
    Map<List<Integer>, Split> parts = new HashMap<>();
    earliest.forEach((pair, time) -> {
      long earlier = Arrays.stream(sorted).filter(t -> t < time).count();
      double place = (earlier + 0.5) / sorted.length;
      parts.put(
          pair,
          place < shares.train()
              ? Split.TRAIN
              : place < shares.train() + shares.validation() ? Split.VALIDATION : Split.TEST);
    });
    return parts;
  }

  private static Set<List<Integer>> pairs(Links links) {
    Set<List<Integer>> pairs = new HashSet<>();
    for (int i = 0; i < links.count(); i++) {
      pairs.add(pair(links.sources()[i], links.targets()[i]));
    }
    return pairs;
  }

  @ParameterizedTest
  @CsvSource({
    "false, 1000, 0",
    "false, 20, 0",
    "false, 3, 0",
    "true, 1000, 0",
    "true, 12, 0",
    "true, 40, 0.3"
  })
  void partsAreThoseOfSortedTimes(boolean directed, int distinct, double supervised) {
    for (long seed = 0; seed < 5; seed++) {
      try (GraphData data = graph(directed, distinct, seed)) {
        Proportions shares = new Proportions(0.5, 0.2);
        Map<List<Integer>, Split> expected = expected(shares);
        LinkSplit.Parts parts = new LinkSplit(By.TIME, shares, supervised, seed).of(arena, data);
        Set<List<Integer>> messages = LinkSplitTest.arcs(parts.messages());
        for (Split part : List.of(Split.TRAIN, Split.VALIDATION, Split.TEST)) {
          List<List<Integer>> those = new ArrayList<>();
          expected.forEach((pair, of) -> {
            if (of == part) {
              those.add(pair);
            }
          });
          if (part == Split.TRAIN && supervised > 0) {
            assertThat(those).as("seed %d", seed).containsAll(pairs(parts.train()));
            assertThat(pairs(parts.train())).hasSizeBetween(1, those.size() - 1);
          } else {
            assertThat(pairs(parts.scored(part)))
                .as("seed %d, %s", seed, part)
                .hasSameElementsAs(those);
          }
          if (part != Split.TRAIN) {
            assertThat(those)
                .allMatch(pair -> !messages.contains(pair) && !messages.contains(pair.reversed()));
          }
        }
      }
    }
  }

  @Test
  void theSeedDecidesNothingButWhatIsSupervised() {
    try (GraphData data = graph(false, 30, 9)) {
      Links one = new LinkSplit(By.TIME, Proportions.DEFAULT, 0, 1).of(arena, data).test();
      Links two = new LinkSplit(By.TIME, Proportions.DEFAULT, 0.4, 2).of(arena, data).test();
      assertThat(pairs(two)).isEqualTo(pairs(one)).isNotEmpty();
    }
  }

  @Test
  void theEndsOfPartsAreTimesOfTheirLastEdges() {
    int[] next = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
    int[] ring = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    double[] years = {2010, 2011, 2012, 2012, 2014, 2015, 2016, 2017, 2018, 2019};
    try (GraphData data =
        GraphData.builder(10).edges(ring, next).times(Unit.NUMBERS, years).build()) {
      LinkSplit.Parts parts =
          new LinkSplit(By.TIME, new Proportions(0.3, 0.4), 0, 0).of(arena, data);
      LinkSplit.Latest latest = Objects.requireNonNull(parts.latest());
      assertThat(latest.train()).as("with the tie").isEqualTo(2012);
      assertThat(latest.validation()).isEqualTo(2016);
      assertThat(parts.train().count()).isEqualTo(4);
      assertThat(parts.validation().count()).isEqualTo(3);
      assertThat(parts.test().count()).isEqualTo(3);
      GraphData links = data.withLinks(LinkSplitTest.task(parts));
      assertThat(links.times()).as("of other edges").isNull();
      assertThat(links.withoutLinks().times()).isSameAs(data.times());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void graphsWithoutDifferentTimesAreRefused(boolean directed) {
    try (GraphData data = graph(directed, 1, 3)) {
      LinkSplit split = new LinkSplit(By.TIME, Proportions.DEFAULT, 0, 0);
      assertThatThrownBy(() -> split.of(arena, data))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith(
              "timed: linkSplitBy: expected edges after the training edges, found none of ")
          .hasMessageEndingWith(", as those of one time are in one part");
      assertThatThrownBy(() -> split.of(arena, data.withTimes(null)))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage(
              "timed: linkSplitBy: expected a time of each edge, found none; a schema of tables names the column of edges that has it: time");
    }
  }

  /// Edges of a type with one vertex only, which are the latest, cannot be told from pairs.
  @Test
  void edgesThatCannotBeHeldOutHaveNoPlace() {
    int n = 20;
    int[] sources = new int[2 * n];
    int[] targets = new int[2 * n];
    double[] at = new double[2 * n];
    for (int v = 0; v < n; v++) {
      sources[v] = v;
      targets[v] = (v + 1) % n;
      at[v] = v;
      sources[n + v] = v;
      targets[n + v] = n;
      at[n + v] = n + v;
    }
    try (GraphData data =
        GraphData.builder(n + 1)
            .name("hub")
            .edges(sources, targets)
            .times(Unit.NUMBERS, at)
            .directed()
            .build()) {
      GraphTypes types =
          new GraphTypes(
              List.of(new GraphTypes.OfVertices("user", n), new GraphTypes.OfVertices("hub", 1)),
              List.of("visits"),
              null);
      LinkSplit.Parts parts =
          new LinkSplit(By.TIME, new Proportions(0.5, 0.2), 0, 1).of(arena, data.withTypes(types));
      assertThat(parts.train().count()).isEqualTo(10);
      assertThat(parts.validation().count()).isEqualTo(4);
      assertThat(parts.test().count()).isEqualTo(6);
    }
  }
}
