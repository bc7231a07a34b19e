package dev.gossamer.cli.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class AgreementChartTest {
  private static Element drawn(AgreementChart.Row... rows) {
    return Drawings.parsed(new AgreementChart("title", List.of(rows)).plot().svg());
  }

  private static List<Element> marks(Element drawing) {
    return Drawings.elements(drawing, "line")
        .filter(line -> line.getAttribute("class").equals("mark"))
        .toList();
  }

  /// A point lies on the diagonal exactly if what is predicted is known.
  @Test
  void theDistanceFromTheDiagonalIsThatOfPredictedFromKnown() {
    double[] known = {1, 3, 5};
    double[] predicted = {1, 5, 3};
    Element drawing =
        drawn(new AgreementChart.Row("size", known, predicted, new double[] {0, 2, -2}));
    Element diagonal = marks(drawing).getFirst();
    double left = Drawings.number(diagonal, "x1");
    double right = Drawings.number(diagonal, "x2");
    double base = Drawings.number(diagonal, "y1");
    double top = Drawings.number(diagonal, "y2");
    assertThat(right - left).isEqualTo(base - top);
    Element dots = Drawings.elements(drawing, "path").findFirst().orElseThrow();
    List<MatchResult> points =
        Pattern.compile("M([0-9.]+),([0-9.]+)h0")
            .matcher(dots.getAttribute("d"))
            .results()
            .toList();
    for (int i = 0; i < 3; i++) {
      double x = (Double.parseDouble(points.get(i).group(1)) - left) / (right - left);
      double y = (base - Double.parseDouble(points.get(i).group(2))) / (base - top);
      assertThat(1 + 4 * x).isCloseTo(known[i], within(2e-3));
      assertThat(1 + 4 * y).isCloseTo(predicted[i], within(2e-3));
    }
    assertThat(drawing.getAttribute("aria-label"))
        .isEqualTo("title: size of 3 vertices, predicted less known from -2.000 to 2.000");
  }

  @Test
  void everyDistanceIsInABar() {
    List<AgreementChart.Bin> bins = AgreementChart.bins(-1, 0, 0.5, 2);
    assertThat(bins).hasSize(AgreementChart.BINS);
    assertThat(bins.stream().mapToInt(AgreementChart.Bin::count).sum()).isEqualTo(4);
    assertThat(bins.getFirst().count()).isEqualTo(1);
    assertThat(bins.getLast().count()).isEqualTo(1);
    for (AgreementChart.Bin bin : bins) {
      assertThat(bin.to() - bin.from()).isCloseTo(0.1, within(1e-12));
    }
    assertThat(AgreementChart.bins(3, 3))
        .singleElement()
        .satisfies(bin -> {
          assertThat(bin.count()).isEqualTo(2);
          assertThat(bin.from()).isLessThan(3);
          assertThat(bin.to()).isGreaterThan(3);
        });
  }

  @Test
  void whatIsNotKnownIsSaid() {
    double[] none = {};
    Element drawing =
        drawn(
            new AgreementChart.Row("empty", none, none, none),
            new AgreementChart.Row("full", new double[] {4}, new double[] {4}, new double[] {0}));
    assertThat(Drawings.elements(drawing, "text").map(Element::getTextContent))
        .contains("nothing is known of it", "full");
    assertThat(Drawings.elements(drawing, "path")).hasSize(1);
    assertThat(drawing.getAttribute("aria-label"))
        .startsWith("title: empty, of which nothing is known; full of 1 vertices");
  }
}
