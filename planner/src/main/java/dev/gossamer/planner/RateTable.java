package dev.gossamer.planner;

import dev.gossamer.base.InvalidSettingException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/// Measured seconds per unit of work at the points of a grid of sizes, with one thread and with all
/// threads of a node.
///
/// Between points the logarithm of the seconds is linear in the logarithm of each size; beyond the
/// ends of an axis it is constant. Between one thread and all, `t` threads are `t^e` times as fast
/// as one, with the measured `e`. Immutable.
public final class RateTable {
  /// The measurement at one point of the grid.
  ///
  /// @param at a size for each axis, at least 1
  /// @param one seconds per unit with one thread while the others are idle
  /// @param all seconds per unit with all threads
  public record Point(List<Integer> at, double one, double all) {
    /// Checks the components.
    ///
    /// @throws InvalidSettingException if a size or a time is not positive, or not finite
    public Point {
      at = List.copyOf(at);
      if (at.stream().anyMatch(size -> size < 1)) {
        throw new InvalidSettingException("{at}: expected at least 1, found " + at);
      }
      requirePositive("one", one);
      requirePositive("all", all);
    }

    private static void requirePositive(String component, double seconds) {
      if (!(seconds > 0 && seconds < Double.POSITIVE_INFINITY)) {
        throw new InvalidSettingException(
            "{%s}: expected more than 0 s, found %s s".formatted(component, seconds));
      }
    }
  }

  private final List<Point> points;
  private final int[][] axes;
  private final double[] one;
  private final double[] all;

  /// Creates a table.
  ///
  /// @param points all points of the grid, in any order
  /// @throws InvalidSettingException if there is none, one is missing or duplicate, or they have
  ///   different numbers of sizes
  public RateTable(List<Point> points) {
    int dimensions = points.isEmpty() ? 0 : points.getFirst().at().size();
    if (points.isEmpty() || points.stream().anyMatch(p -> p.at().size() != dimensions)) {
      throw new InvalidSettingException(
          "{points}: expected at least one, of as many sizes each, found "
              + points.stream().map(Point::at).toList());
    }
    axes =
        IntStream.range(0, dimensions)
            .mapToObj(axis ->
                points.stream().mapToInt(p -> p.at().get(axis)).distinct().sorted().toArray())
            .toArray(int[][]::new);
    boolean complete = combinations() == points.size();
    this.points =
        complete
            ? points.stream().sorted(Comparator.comparingInt(this::place)).toList()
            : List.copyOf(points);
    for (int i = 0; complete && i < points.size(); i++) {
      complete = place(this.points.get(i)) == i;
    }
    if (!complete) {
      throw new InvalidSettingException(
          "{points}: expected every combination of the sizes once, found "
              + points.stream().map(Point::at).toList());
    }
    one = logarithms(Point::one);
    all = logarithms(Point::all);
  }

  /// The number of points of the grid; if there are more than can be, any such number.
  private long combinations() {
    return Arrays.stream(axes)
        .mapToLong(axis -> axis.length)
        .reduce(1, (product, length) -> Math.min(product, Integer.MAX_VALUE) * length);
  }

  /// The number of a point in row-major order.
  private int place(Point point) {
    int place = 0;
    for (int axis = 0; axis < axes.length; axis++) {
      place = place * axes[axis].length + Arrays.binarySearch(axes[axis], point.at().get(axis));
    }
    return place;
  }

  private double[] logarithms(ToDoubleFunction<Point> seconds) {
    return points.stream().mapToDouble(seconds).map(Math::log).toArray();
  }

  /// {@return the measured points, ascending}
  public List<Point> points() {
    return points;
  }

  /// {@return number of sizes that a point has}
  public int dimensions() {
    return axes.length;
  }

  /// {@return the smallest size on an axis}
  ///
  /// @param axis its number
  public int smallest(int axis) {
    return axes[axis][0];
  }

  /// {@return the largest size on an axis}
  ///
  /// @param axis its number
  public int largest(int axis) {
    return axes[axis][axes[axis].length - 1];
  }

  /// {@return seconds of one unit of work}
  ///
  /// @param threads that share it
  /// @param measured number of threads of [Point#all]
  /// @param at a size for each axis
  public double seconds(int threads, int measured, double... at) {
    double alone = interpolated(one, 0, 0, at);
    if (threads <= 1 || measured <= 1) {
      return Math.exp(alone);
    }
    double together = interpolated(all, 0, 0, at);
    double share = Math.log(Math.min(threads, measured)) / Math.log(measured);
    return Math.exp(alone + share * (together - alone));
  }

  /// @param axis the first that is still to be interpolated on
  /// @param place in row-major order, of the axes before
  private double interpolated(double[] values, int axis, int place, double... at) {
    if (axis == axes.length) {
      return values[place];
    }
    int[] sizes = axes[axis];
    double size = Math.clamp(at[axis], sizes[0], sizes[sizes.length - 1]);
    int lower = 0;
    while (lower < sizes.length - 2 && sizes[lower + 1] <= size) {
      lower++;
    }
    double below = interpolated(values, axis + 1, place * sizes.length + lower, at);
    if (size == sizes[lower]) {
      return below;
    }
    double above = interpolated(values, axis + 1, place * sizes.length + lower + 1, at);
    double share =
        Math.log(size / sizes[lower]) / Math.log((double) sizes[lower + 1] / sizes[lower]);
    return below + share * (above - below);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RateTable table && points.equals(table.points);
  }

  @Override
  public int hashCode() {
    return points.hashCode();
  }

  @Override
  public String toString() {
    return points.toString();
  }
}
