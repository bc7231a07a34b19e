package dev.gossamer.cli.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class ScatterChartTest {
  private static String plot(ScatterChart.Group... groups) {
    return new ScatterChart("points", "to the right", "upwards", List.of(groups)).plot().svg();
  }

  private static ScatterChart.Group group(int number, double[] x, double... y) {
    return new ScatterChart.Group("group " + number, Style.dots(number), x, y);
  }

  private static List<Element> paths(String svg) {
    return Drawings.elements(Drawings.parsed(svg), "path").toList();
  }

  private static double[][] points(Element path) {
    return Arrays.stream(path.getAttribute("d").split("h0"))
        .map(point ->
            Arrays.stream(point.substring(1).split(",")).mapToDouble(Double::parseDouble).toArray())
        .toArray(double[][]::new);
  }

  @Test
  void eachGroupIsOneElementAndTheLastOneLiesUnderTheOthers() {
    String svg =
        plot(
            group(0, new double[] {0, 10}, 0, 5),
            group(6, new double[] {5}, 10),
            group(Style.MOST_DOTS, new double[] {0}, 10));
    List<Element> paths = paths(svg);
    assertThat(paths.stream().map(path -> path.getAttribute("class")))
        .containsExactly(
            "d other", "d o6 square", "d o0", "d o0 key", "d o6 square key", "d other key");
    double[][] first = points(paths.get(2));
    double[][] second = points(paths.get(1));
    assertThat(first).hasDimensions(2, 2);
    // Pixels count from above.
    double across = first[1][0] - first[0][0];
    double up = first[0][1] - first[1][1];
    assertThat(across).isPositive();
    assertThat(up).isPositive();
    assertThat(second[0][0]).isCloseTo(first[0][0] + across / 2, within(0.2));
    assertThat(second[0][1]).isCloseTo(first[0][1] - 2 * up, within(0.2));
    assertThat(points(paths.getFirst())[0]).containsExactly(first[0][0], second[0][1]);
    Element drawing = Drawings.parsed(svg);
    assertThat(drawing.getAttribute("aria-label"))
        .isEqualTo("points: group 0 2; group 6 1; group 10 1");
    assertThat(Drawings.elements(drawing, "text").map(Element::getTextContent))
        .contains("points", "to the right", "upwards", "group 0", "group 6", "group 10");
  }

  @Test
  void pointsThatAreTheSameHaveAPlace() {
    assertThat(plot(group(0, new double[] {0, 0}, 0, 0))).doesNotContain("NaN", "Infinity");
    assertThat(plot()).doesNotContain("NaN", "Infinity");
  }

  @Test
  void manyPointsTakeLittleRoom() {
    Random random = new Random(1);
    double[] x = random.doubles(4000, -1, 1).toArray();
    double[] y = random.doubles(4000, -1, 1).toArray();
    assertThat(plot(group(0, x, y)).length()).isLessThan(64_000);
  }
}
