package dev.gossamer.cli.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class ReliabilityChartTest {
  private static Element drawn(ReliabilityChart.Bin... bins) {
    return Drawings.parsed(new ReliabilityChart("title", List.of(bins)).plot().svg());
  }

  /// A point lies on the diagonal exactly if its probability is its frequency.
  @Test
  void theDistanceFromTheDiagonalIsThatOfProbabilityFromFrequency() {
    Element drawing =
        drawn(
            new ReliabilityChart.Bin(0.2, 0.4, 0.3, 0.3, "right"),
            new ReliabilityChart.Bin(0.8, 1, 0.9, 0.5, "too sure"));
    Element diagonal =
        Drawings.elements(drawing, "line")
            .filter(line -> line.getAttribute("class").equals("mark"))
            .findFirst()
            .orElseThrow();
    double left = Drawings.number(diagonal, "x1");
    double right = Drawings.number(diagonal, "x2");
    double base = Drawings.number(diagonal, "y1");
    double top = Drawings.number(diagonal, "y2");
    List<Element> points = Drawings.elements(drawing, "circle").toList();
    double[][] expected = {{0.3, 0.3}, {0.9, 0.5}};
    for (int p = 0; p < expected.length; p++) {
      assertThat((Drawings.number(points.get(p), "cx") - left) / (right - left))
          .isCloseTo(expected[p][0], within(1e-3));
      assertThat((base - Drawings.number(points.get(p), "cy")) / (base - top))
          .isCloseTo(expected[p][1], within(1e-3));
    }
    Element bar = Drawings.elements(drawing, "rect").toList().get(1);
    assertThat(Drawings.number(bar, "height") / (base - top)).isCloseTo(0.5, within(1e-3));
    assertThat(bar.getTextContent()).isEqualTo("too sure");
  }

  @Test
  void withoutBinsThereIsTheDiagonal() {
    Element drawing = drawn();
    assertThat(Drawings.elements(drawing, "line").map(line -> line.getAttribute("class")))
        .contains("mark");
    assertThat(Drawings.elements(drawing, "rect")).hasSize(1);
  }
}
