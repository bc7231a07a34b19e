package dev.gossamer.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.page.ScatterChart;
import dev.gossamer.cli.page.Style;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VertexMapTest {
  /// Of class `c` there are `c` points, which lie at `x = c`, and the same number of vertices.
  private static VertexMap map(int classes) {
    int[] kinds =
        IntStream.range(0, classes).flatMap(c -> IntStream.generate(() -> c).limit(c)).toArray();
    double[] x = IntStream.of(kinds).asDoubleStream().toArray();
    List<String> names = IntStream.range(0, classes).mapToObj(c -> "class " + c).toList();
    PrincipalPlane plane = new PrincipalPlane(x, new double[x.length], 0.5, 0.1234);
    int[] sizes = IntStream.range(0, classes).toArray();
    NeighbourPlane neighbours = new NeighbourPlane(plane.y(), x);
    return new VertexMap(plane, neighbours, kinds, names, sizes, 1_000_000);
  }

  @Test
  void theLargestClassesHaveColours() {
    ScatterChart chart = map(14).byComponents();
    List<ScatterChart.Group> groups = chart.groups();
    assertThat(groups.stream().map(ScatterChart.Group::name))
        .containsExactly(
            "class 13",
            "class 12",
            "class 11",
            "class 10",
            "class 9",
            "class 8",
            "class 7",
            "class 6",
            "class 5",
            "class 4",
            "other (3)");
    assertThat(groups.stream().map(ScatterChart.Group::style).distinct()).hasSize(11);
    assertThat(groups.getLast().style()).isEqualTo(Style.dots(Style.MOST_DOTS));
    assertThat(groups.getFirst().x()).hasSize(13).containsOnly(13);
    assertThat(groups.getLast().x()).containsExactlyInAnyOrder(1, 2, 2, 3, 3, 3);
    assertThat(chart.title()).isEqualTo("Vertices by components, 91 of 1,000,000");
    assertThat(chart.across()).isEqualTo("first component, 50.0 % of the variance");
    assertThat(chart.up()).isEqualTo("second component, 12.3 % of the variance");
  }

  @Test
  void fewClassesAreAllNamed() {
    assertThat(map(11).byComponents().groups())
        .hasSize(10)
        .noneMatch(group -> group.name().contains("other"));
  }

  @Test
  void vectorsHaveTheSameLength() {
    float[] vector = {-3, 0, 4};
    assertThat(VertexMap.normalised(vector)).isTrue();
    assertThat(vector).containsExactly(-0.6f, 0, 0.8f);
    float[] longest = {Float.MAX_VALUE, Float.MAX_VALUE};
    assertThat(VertexMap.normalised(longest)).isTrue();
    assertThat(longest).containsExactly((float) Math.sqrt(0.5), (float) Math.sqrt(0.5));
    float[] nothing = {0, 0};
    assertThat(VertexMap.normalised(nothing)).isTrue();
    assertThat(nothing).containsExactly(0, 0);
    assertThat(VertexMap.normalised(new float[] {1, Float.NaN})).isFalse();
    assertThat(VertexMap.normalised(new float[] {Float.NEGATIVE_INFINITY, 1})).isFalse();
  }
}
