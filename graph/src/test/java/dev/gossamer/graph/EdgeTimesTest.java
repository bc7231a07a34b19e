package dev.gossamer.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.EdgeTimes.Unit;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EdgeTimesTest {
  /// The edges 0-1 three times, once against their direction, 1-2, and a loop.
  private static GraphDataBuilder builder() {
    return GraphData.builder(3)
        .edges(new int[] {0, 1, 0, 1, 2}, new int[] {1, 0, 1, 2, 2})
        .times(Unit.NUMBERS, 5, 3, 4, -1, 9);
  }

  private static List<String> arcs(GraphData d) {
    CsrMatrix a = d.adjacency();
    EdgeTimes times = Objects.requireNonNull(d.times());
    List<String> arcs = new ArrayList<>();
    for (int v = 0; v < d.vertices(); v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        arcs.add("%d-%d: %s".formatted(v, a.column(e), times.of(e)));
      }
    }
    return arcs;
  }

  @Test
  void repeatedEdgesHaveTheEarliestTime() {
    try (GraphData undirected = builder().build();
        GraphData directed = builder().directed().build()) {
      assertThat(arcs(undirected))
          .containsExactly("0-1: 3.0", "1-0: 3.0", "1-2: -1.0", "2-1: -1.0");
      assertThat(arcs(directed)).containsExactly("0-1: 4.0", "1-0: 3.0", "1-2: -1.0", "2-2: 9.0");
    }
  }

  @Test
  void copiesKeepTimesUnlessTheirEdgesAreOthers() {
    try (GraphData data = builder().build()) {
      EdgeTimes times = Objects.requireNonNull(data.times());
      assertThat(data.withSplit(new byte[3]).withTypes(null).times()).isSameAs(times);
      assertThat(data.withTimes(null).times()).isNull();
      EdgeTimes few = new EdgeTimes(Unit.NUMBERS, MemorySegment.ofArray(new double[3]));
      assertThatThrownBy(() -> data.withTimes(few))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("times: expected those of 4 entries, found 3");
    }
  }

  @Test
  void timesOfArraysAreChecked() {
    assertThatThrownBy(() -> builder().times(Unit.DATES, 1, 2).build())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("times: expected 5, found 2");
    assertThatThrownBy(() -> builder().times(Unit.DATES, 1, 2, Double.NaN, 4, 5).build())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("times: edge 2: expected a finite number, found NaN");
  }

  @ParameterizedTest
  @CsvSource({
    "DATES, 0, 1970-01-01",
    "DATES, 86399.5, 1970-01-01T23:59:59.500",
    "DATES, -1, 1969-12-31T23:59:59",
    "DATES, 1e18, 1.0E18",
    "NUMBERS, 2019, 2019",
    "NUMBERS, -0.25, -0.25",
    "NUMBERS, 1e300, 1.0E300"
  })
  void areWrittenAsPeopleDo(Unit unit, double time, String text) {
    EdgeTimes none = new EdgeTimes(unit, MemorySegment.ofArray(new double[0]));
    assertThat(none.text(time)).isEqualTo(text);
  }
}
