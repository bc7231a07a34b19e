package dev.gossamer.cli.data;

/// A drawing as SVG: rectangles, lines and texts in a coordinate system of pixels, whose origin is
/// at the top left. Needs no fonts and no window system.
final class SvgPlot {
  private final StringBuilder elements = new StringBuilder();
  private final int width;
  private final int height;
  private final String title;

  /// @param title what the drawing shows, for those who do not see it
  SvgPlot(int width, int height, String title) {
    this.width = width;
    this.height = height;
    this.title = title;
  }

  /// A rectangle, with a text that appears when the pointer is on it.
  SvgPlot bar(double x, double y, double w, double h, String tip) {
    return add(
        "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s</title></rect>"
            .formatted(x, y, Math.max(0, w), Math.max(0, h), escaped(tip)));
  }

  /// A line of a style of the page: `axis` or `mark`.
  SvgPlot line(String style, double x1, double y1, double x2, double y2) {
    return add(
        "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
            .formatted(style, x1, y1, x2, y2));
  }

  /// A text.
  ///
  /// @param anchor which end of the text is at `x`: `start`, `middle` or `end`
  SvgPlot text(String anchor, double x, double y, String text) {
    return add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>"
            .formatted(x, y, anchor, escaped(text)));
  }

  private SvgPlot add(String element) {
    elements.append(element).append('\n');
    return this;
  }

  /// The element `svg`.
  String svg() {
    return "<svg viewBox=\"0 0 %1$d %2$d\" width=\"%1$d\" height=\"%2$d\" role=\"img\" aria-label=\"%3$s\">\n%4$s</svg>\n"
        .formatted(width, height, escaped(title), elements);
  }

  /// A text in HTML or XML, between tags or in quotation marks. Characters that XML does not have
  /// are replaced.
  static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> {
          switch (c) {
            case '&' -> escaped.append("&amp;");
            case '<' -> escaped.append("&lt;");
            case '>' -> escaped.append("&gt;");
            case '"' -> escaped.append("&quot;");
            case '\'' -> escaped.append("&#39;");
            default ->
                escaped.appendCodePoint(
                    Character.isISOControl(c)
                            || Character.getType(c) == Character.SURROGATE
                            || (c & 0xfffe) == 0xfffe
                        ? 0xfffd
                        : c);
          }
        });
    return escaped.toString();
  }
}
