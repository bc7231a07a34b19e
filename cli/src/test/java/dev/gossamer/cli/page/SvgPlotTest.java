package dev.gossamer.cli.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class SvgPlotTest {
  @Test
  void aFileIsADrawingOfItsOwn() {
    String name = "<a> & \"b\"\u0000\u001b";
    SvgPlot plot = new SvgPlot(100, 50, name).bar("bar", 1, 2, 3, -4, name).text("end", 1, 2, name);
    Element file = Drawings.parsed(plot.file());
    assertThat(file.getAttribute("xmlns")).isEqualTo("http://www.w3.org/2000/svg");
    assertThat(Drawings.elements(file, "style").findFirst().orElseThrow().getTextContent())
        .contains(".bar");
    assertThat(file.getAttribute("aria-label")).isEqualTo("<a> & \"b\"\ufffd\ufffd");
    assertThat(Drawings.elements(file, "rect").map(bar -> bar.getAttribute("height")))
        .containsExactly("0.0");
    assertThat(plot.svg()).doesNotContain("xmlns", "<style>");
  }

  @Test
  void theMostIsTheDarkest() {
    long[][] values = {{0, 200}, {100, 0}};
    HeatMap map =
        new HeatMap(
            "bytes",
            "from",
            "to",
            Integer::toString,
            Integer::toString,
            values,
            bytes -> bytes + " B");
    Element drawing = Drawings.parsed(map.plot().svg());
    List<Double> shares =
        Drawings.elements(drawing, "rect")
            .map(cell -> Drawings.number(cell, "fill-opacity"))
            .toList();
    assertThat(shares).containsExactly(0.0, 1.0, 0.525, 0.0);
    assertThat(Drawings.elements(drawing, "title").map(Element::getTextContent))
        .contains("0, 1: 200 B", "1, 0: 100 B");
  }
}
