package dev.gossamer.cli.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PngImageTest {
  private static final int WHITE = 0xffffff;

  @TempDir Path folder = Path.of("");

  private BufferedImage painted(SvgPlot plot) throws IOException {
    Path file = folder.resolve("plot.png");
    PngImage.write(plot, file);
    return ImageIO.read(file.toFile());
  }

  /// The colour in the middle of a pixel of the drawing.
  private static int at(BufferedImage image, int x, int y) {
    return image.getRGB(2 * x, 2 * y) & WHITE;
  }

  /// A colour that is mixed with white.
  private static int mixed(int colour, double opacity) {
    return IntStream.of(16, 8, 0)
        .map(shift -> {
          int part = colour >> shift & 0xff;
          return (int) Math.round(255 + opacity * (part - 255)) << shift;
        })
        .sum();
  }

  @Test
  void elementsHaveTheirColoursAndPlaces() throws IOException {
    SvgPlot plot =
        new SvgPlot(100, 60, "all")
            .bar("bar", 10, 10, 20, 10, "a bar")
            .cell(40, 10, 10, 10, 0.5, "a cell")
            .line("mark", 60, 10, 60, 20)
            .path(Style.stroke(1), new double[] {70, 70}, new double[] {10, 20})
            .point(Style.fill(2), 80, 15, "a point")
            .dots(Style.dots(0) + " key", new double[] {20}, new double[] {40})
            .dots(Style.dots(Style.MOST_DOTS - 1), new double[] {40}, new double[] {40})
            .dots(Style.dots(Style.MOST_DOTS), new double[] {60}, new double[] {40});
    BufferedImage image = painted(plot);
    assertThat(image.getWidth()).isEqualTo(200);
    assertThat(image.getHeight()).isEqualTo(120);
    assertThat(at(image, 5, 5)).isEqualTo(WHITE);
    assertThat(at(image, 20, 15)).isEqualTo(0x3b75af).isEqualTo(Style.light("bar"));
    assertThat(at(image, 31, 15)).isEqualTo(WHITE);
    assertThat(at(image, 45, 15)).isEqualTo(mixed(0x3b75af, 0.5));
    assertThat(at(image, 60, 15)).isEqualTo(0xb03a2e);
    assertThat(at(image, 70, 15)).isEqualTo(0xd55e00);
    assertThat(at(image, 80, 15)).isEqualTo(0x00825f);
    assertThat(at(image, 20, 40)).isEqualTo(0x0072b2);
    assertThat(at(image, 40, 40)).isEqualTo(mixed(0xc23a63, 0.75));
    assertThat(at(image, 60, 40)).isEqualTo(mixed(0x666666, 0.4));
  }

  @Test
  void dashedLinesHaveGaps() throws IOException {
    SvgPlot plot =
        new SvgPlot(60, 20, "dashed")
            .path(Style.stroke(7), new double[] {0, 60}, new double[] {10, 10});
    BufferedImage image = painted(plot);
    long drawn = IntStream.range(0, 60).filter(x -> at(image, x, 10) == 0x0072b2).count();
    // Six of nine pixels, and half ones at the ends of dashes.
    assertThat(drawn).isBetween(30L, 50L);
  }

  @Test
  void textsBeginAndEndWhereTheyShould() throws IOException {
    assumeTrue(PngImage.isPossible(), "without fonts");
    SvgPlot plot =
        new SvgPlot(200, 20, "texts").text("start", 10, 15, "MMM").text("end", 190, 15, "MMM");
    BufferedImage image = painted(plot);
    int[] inked =
        IntStream.range(0, 200)
            .filter(x -> IntStream.range(0, 20).anyMatch(y -> at(image, x, y) != WHITE))
            .toArray();
    assertThat(inked[0]).isBetween(10, 14);
    assertThat(inked[inked.length - 1]).isBetween(185, 190);
    assertThat(inked).doesNotContain(100);
  }
}
