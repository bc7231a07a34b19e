package dev.gossamer.cli.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/// A drawing, as SVG or as [PngImage]: rectangles, lines and texts in a coordinate system of
/// pixels, whose origin is at the top left. As SVG it needs no fonts and no window system. Colours
/// are those of [Style].
public final class SvgPlot {
  /// Pixels of a drawing that has its place on narrow pages, and another beside it on wide ones.
  public static final int WIDTH = 380;

  /// Pixels of a letter, at most in the mean.
  static final int LETTER = 7;

  private final StringBuilder elements = new StringBuilder();
  private final List<Consumer<Brush>> strokes = new ArrayList<>();
  private final int width;
  private final int height;
  private final String title;

  /// @param title what the drawing shows, for those who do not see it
  public SvgPlot(int width, int height, String title) {
    this.width = width;
    this.height = height;
    this.title = title;
  }

  int width() {
    return width;
  }

  int height() {
    return height;
  }

  void paint(Brush brush) {
    strokes.forEach(stroke -> stroke.accept(brush));
  }

  /// Returns what the drawing shows.
  public String title() {
    return title;
  }

  /// A rectangle of a style of the page, with a text that appears when the pointer is on it.
  ///
  /// @param style `bar`, or one of [Style#fill]
  public SvgPlot bar(String style, double x, double y, double w, double h, String tip) {
    return add(
        String.format(
            Locale.ROOT,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s</title></rect>",
            style,
            x,
            y,
            Math.max(0, w),
            Math.max(0, h),
            escaped(tip)),
        brush -> brush.bar(style, x, y, Math.max(0, w), Math.max(0, h), 1));
  }

  /// A rectangle that is the darker the higher its share of something is.
  ///
  /// @param share 0 to 1
  public SvgPlot cell(double x, double y, double w, double h, double share, String tip) {
    return add(
        String.format(
            Locale.ROOT,
            "<rect class=\"bar\" fill-opacity=\"%.3f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s</title></rect>",
            share,
            x,
            y,
            w,
            h,
            escaped(tip)),
        brush -> brush.bar("bar", x, y, w, h, share));
  }

  /// A line of a style of the page.
  ///
  /// @param style `axis`, `mark`, or one of [Style#stroke]
  public SvgPlot line(String style, double x1, double y1, double x2, double y2) {
    return add(
        String.format(
            Locale.ROOT,
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
            style,
            x1,
            y1,
            x2,
            y2),
        brush -> brush.line(style, x1, y1, x2, y2));
  }

  /// A line through several points.
  ///
  /// @param style one of [Style#stroke]
  /// @param x of each point
  /// @param y of each point
  public SvgPlot path(String style, double[] x, double[] y) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < x.length; i++) {
      points.append(String.format(Locale.ROOT, i == 0 ? "%.1f,%.1f" : " %.1f,%.1f", x[i], y[i]));
    }
    return add(
        String.format(Locale.ROOT, "<polyline class=\"%s\" points=\"%s\"/>", style, points),
        brush -> brush.path(style, x, y));
  }

  /// A point, with a text that appears when the pointer is on it.
  ///
  /// @param style one of [Style#fill]
  public SvgPlot point(String style, double x, double y, String tip) {
    return add(
        String.format(
            Locale.ROOT,
            "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s</title></circle>",
            style,
            x,
            y,
            escaped(tip)),
        brush -> brush.point(style, x, y));
  }

  /// Many points, as one element.
  ///
  /// @param style one of [Style#dots]
  /// @param x of each point
  /// @param y of each point
  public SvgPlot dots(String style, double[] x, double[] y) {
    // A line of no length is drawn as its ends are.
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < x.length; i++) {
      points.append(String.format(Locale.ROOT, "M%.1f,%.1fh0", x[i], y[i]));
    }
    return add(
        "<path class=\"%s\" d=\"%s\"/>".formatted(style, points), brush -> brush.dots(style, x, y));
  }

  /// A text.
  ///
  /// @param anchor which end of the text is at `x`: `start`, `middle` or `end`
  public SvgPlot text(String anchor, double x, double y, String text) {
    return add(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
            x,
            y,
            anchor,
            escaped(text)),
        brush -> brush.text(anchor, x, y, text, false));
  }

  /// A text at the top left that says what is seen.
  public SvgPlot heading(String text) {
    return add(
        String.format(
            Locale.ROOT, "<text class=\"title\" x=\"0\" y=\"13\">%s</text>", escaped(text)),
        brush -> brush.text("start", 0, 13, text, true));
  }

  /// Returns the pixels of a text, at most in the mean.
  static double width(String text) {
    return (double) LETTER * text.codePointCount(0, text.length());
  }

  /// Returns the begin of a text.
  ///
  /// @param most letters
  static String shortened(String text, int most) {
    return text.codePointCount(0, text.length()) <= most
        ? text
        : text.substring(0, text.offsetByCodePoints(0, most - 3)) + "...";
  }

  private SvgPlot add(String element, Consumer<Brush> stroke) {
    elements.append(element).append('\n');
    strokes.add(stroke);
    return this;
  }

  /// The element `svg` of a page, which has the styles.
  public String svg() {
    return svg("", "");
  }

  /// A file of its own.
  public String file() {
    return svg(
        " xmlns=\"http://www.w3.org/2000/svg\"", "<style>\n" + Style.DRAWINGS + "</style>\n");
  }

  private String svg(String attribute, String style) {
    return "<svg%1$s viewBox=\"0 0 %2$d %3$d\" width=\"%2$d\" height=\"%3$d\" role=\"img\" aria-label=\"%4$s\">\n%5$s%6$s</svg>\n"
        .formatted(attribute, width, height, escaped(title), style, elements);
  }

  /// A text in HTML or XML, between tags or in quotation marks. Characters that XML does not have
  /// are replaced.
  public static String escaped(String text) {
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
