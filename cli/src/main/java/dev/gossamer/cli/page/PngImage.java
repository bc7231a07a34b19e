package dev.gossamer.cli.page;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.GraphicsEnvironment;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/// Drawings as PNG files for programs that show no SVG: light, with two pixels for each of the
/// drawing. Needs fonts, but no window system.
public final class PngImage {
  private static final int SCALE = 2;

  static {
    // Otherwise the first use would look for a display.
    System.setProperty("java.awt.headless", "true");
  }

  private PngImage() {}

  /// Returns whether this system has fonts for texts; a runtime in a container may have none.
  public static boolean isPossible() {
    try {
      return GraphicsEnvironment.getLocalGraphicsEnvironment().getAvailableFontFamilyNames().length
          > 0;
    } catch (RuntimeException | LinkageError | InternalError e) {
      // Without fontconfig, the runtime fails in one of these ways.
      return false;
    }
  }

  /// Writes a drawing.
  ///
  /// @param file new
  /// @throws IOException if it cannot be written
  public static void write(SvgPlot plot, Path file) throws IOException {
    BufferedImage image =
        new BufferedImage(SCALE * plot.width(), SCALE * plot.height(), BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, image.getWidth(), image.getHeight());
    graphics.scale(SCALE, SCALE);
    plot.paint(new Brush(graphics));
    graphics.dispose();
    if (!ImageIO.write(image, "png", file.toFile())) {
      throw new IOException("this Java runtime writes no PNG files");
    }
  }
}
