package dev.gossamer.cli.page;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.util.Arrays;
import java.util.List;

/// Paints what a [SvgPlot] consists of, in the light colours of its [Style].
final class Brush {
  private static final int FONT_SIZE = 12;
  private static final float LINE_WIDTH = 1.8f;
  private static final float MARK_WIDTH = 2;
  private static final float DOT_WIDTH = 3.4f;
  private static final float SQUARE_WIDTH = 3;
  private static final float KEY_WIDTH = 9;
  private static final float[] DASHES = {6, 3};
  private static final float DOT_OPACITY = 0.75f;
  private static final float OTHER_OPACITY = 0.4f;
  private static final double RADIUS = 4;

  private final Graphics2D graphics;

  Brush(Graphics2D graphics) {
    this.graphics = graphics;
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
    graphics.setRenderingHint(
        RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_ON);
  }

  /// @param opacity 0 to 1
  void bar(String style, double x, double y, double w, double h, double opacity) {
    graphics.setColor(colour(style, (float) opacity));
    graphics.fill(new Rectangle2D.Double(x, y, w, h));
  }

  void line(String style, double x1, double y1, double x2, double y2) {
    draw(style, new Line2D.Double(x1, y1, x2, y2));
  }

  void path(String style, double[] x, double[] y) {
    Path2D path = new Path2D.Double();
    for (int i = 0; i < x.length; i++) {
      if (i == 0) {
        path.moveTo(x[i], y[i]);
      } else {
        path.lineTo(x[i], y[i]);
      }
    }
    draw(style, path);
  }

  private void draw(String style, Shape shape) {
    graphics.setColor(colour(style, 1));
    float width =
        switch (style) {
          case "axis" -> 1;
          case "mark" -> MARK_WIDTH;
          default -> LINE_WIDTH;
        };
    graphics.setStroke(
        style.endsWith("dashed")
            ? new BasicStroke(
                width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, MARK_WIDTH, DASHES, 0)
            : new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER));
    graphics.draw(shape);
  }

  void point(String style, double x, double y) {
    graphics.setColor(colour(style, 1));
    graphics.fill(new Ellipse2D.Double(x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS));
  }

  void dots(String style, double[] x, double[] y) {
    List<String> words = Arrays.asList(style.split(" "));
    boolean key = words.contains("key");
    boolean square = words.contains("square");
    float opacity = words.contains("other") ? OTHER_OPACITY : DOT_OPACITY;
    graphics.setColor(colour(words.get(1), key ? 1 : opacity));
    double width = key ? KEY_WIDTH : square ? SQUARE_WIDTH : DOT_WIDTH;
    for (int i = 0; i < x.length; i++) {
      double left = x[i] - width / 2;
      double top = y[i] - width / 2;
      graphics.fill(
          square
              ? new Rectangle2D.Double(left, top, width, width)
              : new Ellipse2D.Double(left, top, width, width));
    }
  }

  /// @param anchor which end of the text is at `x`: `start`, `middle` or `end`
  void text(String anchor, double x, double y, String text, boolean bold) {
    graphics.setColor(colour("text", 1));
    graphics.setFont(new Font(Font.SANS_SERIF, bold ? Font.BOLD : Font.PLAIN, FONT_SIZE));
    double width = graphics.getFontMetrics().getStringBounds(text, graphics).getWidth();
    double begin =
        switch (anchor) {
          case "middle" -> x - width / 2;
          case "end" -> x - width;
          default -> x;
        };
    graphics.drawString(text, (float) begin, (float) y);
  }

  private static Color colour(String style, float opacity) {
    int rgb = Style.light(style);
    return new Color(
        (rgb >> 16 & 0xff) / 255f, (rgb >> 8 & 0xff) / 255f, (rgb & 0xff) / 255f, opacity);
  }
}
