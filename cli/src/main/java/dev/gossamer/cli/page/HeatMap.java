package dev.gossamer.cli.page;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A square for each pair of a row and a column, the darker the more.
///
/// @param title what the squares show
/// @param rows what a row stands for
/// @param columns what a column stands for
/// @param names of each row
/// @param heads of each column, short
/// @param values of each row and column
/// @param text of a value
@SuppressWarnings("ArrayRecordComponent")
public record HeatMap(
    String title,
    String rows,
    String columns,
    IntFunction<String> names,
    IntFunction<String> heads,
    long[][] values,
    LongFunction<String> text) {
  private static final int LARGEST = 40;
  private static final int TOP = 40;
  private static final int MOST_NAMES = 10;
  private static final int LONGEST_NAME = 18;

  /// Pixels that a name needs.
  private static final int NAME = 14;

  /// The drawing.
  public SvgPlot plot() {
    int count = values.length;
    List<String> shown =
        IntStream.range(0, count)
            .mapToObj(i -> SvgPlot.shortened(names.apply(i), LONGEST_NAME))
            .toList();
    double left =
        8
            + Stream.concat(Stream.of(rows), shown.stream())
                .mapToDouble(SvgPlot::width)
                .max()
                .orElse(0);
    double side = Math.min(LARGEST, (SvgPlot.WIDTH - left) / count);
    long most = Arrays.stream(values).flatMapToLong(Arrays::stream).max().orElse(0);
    SvgPlot plot =
        new SvgPlot(
            SvgPlot.WIDTH,
            (int) (TOP + side * count + 10),
            "%s: at most %s".formatted(title, text.apply(most)));
    plot.text("start", left, 12, columns);
    plot.text("end", left - 8, 30, rows);
    int every = Math.ceilDiv(count, MOST_NAMES);
    boolean all = side >= NAME;
    for (int i = 0; i < count; i++) {
      double middle = (i + 0.5) * side;
      if (i % every == 0) {
        plot.text("middle", left + middle, 30, heads.apply(i));
      }
      if (all || i % every == 0) {
        plot.text("end", left - 8, TOP + middle + 4, shown.get(i));
      }
      for (int j = 0; j < count; j++) {
        long value = values[i][j];
        plot.cell(
            left + j * side,
            TOP + i * side,
            side - 1,
            side - 1,
            value == 0 ? 0 : 0.05 + 0.95 * value / most,
            "%s, %s: %s".formatted(names.apply(i), names.apply(j), text.apply(value)));
      }
    }
    return plot;
  }
}
