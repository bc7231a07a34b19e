package dev.gossamer.cli.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class LegendTest {
  @Test
  void namesGoOnInTheNextRowWhereOneIsFull() {
    List<String> names = List.of("train", "validation", "test", "a name of some length", "b");
    Legend legend = Legend.of(names, 10, 260, 20);
    assertThat(legend.places()).extracting(Legend.Place::name).isEqualTo(names);
    assertThat(legend.places())
        .extracting(Legend.Place::y)
        .containsExactly(29.0, 29.0, 47.0, 47.0, 65.0);
    assertThat(legend.bottom(20)).isEqualTo(74);
    for (Legend.Place place : legend.places()) {
      assertThat(place.x()).isGreaterThanOrEqualTo(10);
      assertThat(place.x() + Legend.KEY + SvgPlot.width(place.name())).isLessThanOrEqualTo(260);
    }
    assertThat(Legend.of(List.of(), 0, 100, 20).bottom(20)).isEqualTo(20);
  }

  @Test
  void aNameThatIsWiderThanARowIsShortened() {
    Legend legend = Legend.of(List.of("x".repeat(100)), 0, 100, 0);
    assertThat(legend.places())
        .singleElement()
        .satisfies(place -> {
          assertThat(place.name()).isEqualTo("xxxxxxx...");
          assertThat(place.x()).isZero();
        });
  }

  /// On a narrow page, too, drawings are whole.
  @Test
  void nothingIsDrawnOutsideOfADrawing() {
    List<String> kinds = IntStream.range(0, 9).mapToObj("phase %d"::formatted).toList();
    List<BarChart.Part> parts =
        kinds.stream().map(kind -> new BarChart.Part("bar", 0.1, kind)).toList();
    List<BarChart.Bar> bars =
        List.of(
            new BarChart.Bar("long ".repeat(40), parts, "0.1234 s"),
            new BarChart.Bar("b", List.of(), ""));
    Element drawing = Drawings.parsed(new BarChart("seconds", kinds, bars).plot().svg());
    assertThat(Drawings.number(drawing, "width")).isEqualTo(SvgPlot.WIDTH);
    Drawings.elements(drawing, "rect")
        .forEach(bar ->
            assertThat(Drawings.number(bar, "x") + Drawings.number(bar, "width"))
                .isLessThanOrEqualTo(SvgPlot.WIDTH));
    Drawings.elements(drawing, "text")
        .forEach(text -> {
          assertThat(Drawings.number(text, "x") + SvgPlot.width(text.getTextContent()))
              .isLessThanOrEqualTo(SvgPlot.WIDTH);
          assertThat(Drawings.number(text, "y")).isLessThan(Drawings.number(drawing, "height"));
        });
  }
}
