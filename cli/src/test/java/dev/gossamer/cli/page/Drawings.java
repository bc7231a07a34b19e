package dev.gossamer.cli.page;

import java.io.StringReader;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/// The elements of drawings, as a parser of XML finds them.
public final class Drawings {
  private Drawings() {}

  /// Returns the root of a drawing.
  public static Element parsed(String svg) {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(new InputSource(new StringReader(svg)))
          .getDocumentElement();
    } catch (Exception e) {
      throw new AssertionError(svg, e);
    }
  }

  /// Returns the drawings of a page, in order.
  public static List<Element> of(String html) {
    return Pattern.compile("<svg.*?</svg>", Pattern.DOTALL)
        .matcher(html)
        .results()
        .map(found -> parsed(found.group()))
        .toList();
  }

  /// Returns the elements of a drawing with a name.
  public static Stream<Element> elements(Element drawing, String name) {
    NodeList found = drawing.getElementsByTagName(name);
    return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i));
  }

  /// Returns an attribute as a number.
  public static double number(Element element, String attribute) {
    return Double.parseDouble(element.getAttribute(attribute));
  }
}
