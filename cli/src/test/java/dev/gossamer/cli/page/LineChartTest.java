package dev.gossamer.cli.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class LineChartTest {
  private static double[][] points(Element line) {
    return Arrays.stream(line.getAttribute("points").split(" "))
        .map(point -> Arrays.stream(point.split(",")).mapToDouble(Double::parseDouble).toArray())
        .toArray(double[][]::new);
  }

  private static Element drawn(LineChart.Line... lines) {
    return Drawings.parsed(new LineChart("loss", "epoch", List.of(lines)).plot().svg());
  }

  private static LineChart.Line line(String name, double... y) {
    double[] x = IntStream.rangeClosed(1, y.length).mapToDouble(i -> i).toArray();
    return new LineChart.Line(name, x, y, Double.NaN);
  }

  @Test
  void linesAreScaledByTheirValues() {
    Element drawing = drawn(line("a", 4, 3, 2), line("b", 0, 1, 1));
    List<Element> lines = Drawings.elements(drawing, "polyline").toList();
    assertThat(lines).hasSize(2);
    double[][] a = points(lines.get(0));
    double[][] b = points(lines.get(1));
    // Pixels count from above.
    double unit = (b[0][1] - a[0][1]) / 4;
    assertThat(unit).isPositive();
    assertThat(a[1][1] - a[0][1]).isCloseTo(unit, within(0.1));
    assertThat(b[0][1] - b[1][1]).isCloseTo(unit, within(0.1));
    assertThat(a[1][0] - a[0][0]).isCloseTo(a[2][0] - a[1][0], within(0.2));
    assertThat(drawing.getAttribute("aria-label"))
        .isEqualTo("loss by epoch: a from 4.000 to 2.000; b from 0.000 to 1.000");
  }

  @Test
  void whatIsNoNumberIsLeftOut() {
    Element drawing =
        drawn(line("a", Double.NaN, 3, Double.POSITIVE_INFINITY, 2), line("none", Double.NaN));
    assertThat(Drawings.elements(drawing, "polyline").map(LineChartTest::points))
        .singleElement()
        .satisfies(points -> assertThat(points).hasDimensions(2, 2));
    assertThat(new LineChart("loss", "epoch", List.of(line("none", Double.NaN))).plot().svg())
        .contains("no numbers yet");
  }

  @Test
  void theMarkedPointIsOnItsLine() {
    double[] x = {10, 20, 30};
    Element drawing = drawn(new LineChart.Line("a", x, new double[] {5, 7, 6}, 20));
    Element point = Drawings.elements(drawing, "circle").findFirst().orElseThrow();
    double[] expected = points(Drawings.elements(drawing, "polyline").findFirst().orElseThrow())[1];
    assertThat(Drawings.number(point, "cx")).isEqualTo(expected[0]);
    assertThat(Drawings.number(point, "cy")).isEqualTo(expected[1]);
    assertThat(point.getTextContent()).isEqualTo("a, epoch 20: 7.000");
  }

  @Test
  void manyPointsKeepTheirPeaks() {
    double[] y = new double[100_000];
    y[54_321] = 1;
    y[77_777] = -1;
    Element drawing = drawn(line("a", y));
    double[][] points = points(Drawings.elements(drawing, "polyline").findFirst().orElseThrow());
    assertThat(points.length).isLessThan(2000);
    double[] heights = Arrays.stream(points).mapToDouble(point -> point[1]).distinct().toArray();
    assertThat(heights).hasSize(3);
  }

  @Test
  void aConstantHasAnAxis() {
    Element drawing = drawn(line("a", 3, 3));
    double[][] points = points(Drawings.elements(drawing, "polyline").findFirst().orElseThrow());
    assertThat(points[0][1]).isEqualTo(points[1][1]);
    assertThat(Drawings.elements(drawing, "text").map(Element::getTextContent)).contains("3.0");
  }
}
