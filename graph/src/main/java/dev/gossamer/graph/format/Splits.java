package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.io.InvalidSettingException;
import java.util.List;
import java.util.Objects;

/// Splits drawn at random, by a rule that any language can repeat: each group of vertices has a
/// number `u` in `[0, 1)` that depends on the seed and on the group's name only, so that a split
/// does not depend on which other vertices there are.
///
/// `u = (mix(seed + ":" + group) >>> 8) / 2^24`, where `mix` takes Java's string hash `h` through
/// `h ^= h >>> 16; h *= 0x85ebca6b; h ^= h >>> 13; h *= 0xc2b2ae35; h ^= h >>> 16` in 32 bits (the
/// finish of MurmurHash3, Appleby). A vertex trains if `u < train`, validates if `u < train +
/// validation`, and tests otherwise.
///
/// The group of a vertex is its name up to the first `$` if names are those of nested classes, so
/// that classes of one source file stay together; else its number in decimal.
public final class Splits {
  /// Shares that are together 1 but for this are kept as they are.
  private static final double ROUNDING = 1e-9;

  private Splits() {}

  /// Shares of the labelled vertices. They may be given on any scale, `(60, 20, 20)` or `(0.6, 0.2,
  /// 0.2)`; what is kept are shares that are together 1.
  ///
  /// @param train at least 0
  /// @param validation at least 0
  /// @param test at least 0
  public record Fractions(double train, double validation, double test) {
    /// 60/20/20, which is drawn for training if a data set has no split of its own: enough in each
    /// part for scores that mean something on a graph of a few thousand vertices.
    public static final Fractions DEFAULT = new Fractions(60, 20, 20);

    /// Checks the shares and makes their sum 1.
    ///
    /// @throws InvalidSettingException if one is negative or no number, or all are 0
    public Fractions {
      double sum = train + validation + test;
      if (!(train >= 0 && validation >= 0 && test >= 0 && sum > 0 && Double.isFinite(sum))) {
        throw new InvalidSettingException(
            "{split}: expected shares of at least 0, and one above 0, found %s, %s and %s"
                .formatted(train, validation, test));
      }
      if (Math.abs(sum - 1) > ROUNDING) {
        train /= sum;
        validation /= sum;
        test /= sum;
      }
    }

    /// {@return parts in per cent, `10/10/80`, or as shares, `0.1/0.1/0.8`}. On the command line a
    /// slip is likelier than another scale.
    ///
    /// @param percent three numbers with slashes between
    /// @throws InvalidSettingException if these are not three numbers that are together 100 or 1
    public static Fractions parse(String percent) {
      Objects.requireNonNull(percent, "percent");
      String[] parts = percent.split("/", -1);
      double[] numbers = new double[3];
      boolean valid = parts.length == 3;
      for (int i = 0; valid && i < 3; i++) {
        valid = parts[i].matches("[0-9]{1,3}(\\.[0-9]{1,9})?");
        numbers[i] = valid ? Double.parseDouble(parts[i]) : 0;
      }
      double sum = numbers[0] + numbers[1] + numbers[2];
      boolean whole = Math.abs(sum - 100) <= 100 * ROUNDING || Math.abs(sum - 1) <= ROUNDING;
      if (!valid || !whole) {
        throw new InvalidSettingException(
            "{split}: expected train/validation/test in per cent, together 100, like 10/10/80, found %s"
                .formatted(percent));
      }
      double scale = sum > 2 ? 100 : 1;
      return new Fractions(numbers[0] / scale, numbers[1] / scale, numbers[2] / scale);
    }
  }

  /// The split of each vertex; unlabelled ones belong to no part:
  ///
  /// ```java
  /// GraphData split = d.withSplit(Splits.draw(d, Splits.Fractions.DEFAULT, 0));
  /// ```
  ///
  /// @param d a data set with labels
  /// @param fractions shares of the parts
  /// @param seed of the draw
  /// @return `n` codes, for [GraphData#withSplit]
  /// @throws InvalidSettingException if the data set has no labels
  public static byte[] draw(GraphData d, Fractions fractions, long seed) {
    Objects.requireNonNull(d, "d");
    Objects.requireNonNull(fractions, "fractions");
    if (!d.hasLabels()) {
      throw new InvalidSettingException(
          "%s: {split}: expected labelled vertices, found a data set without labels"
              .formatted(d.name()));
    }
    List<String> names = d.vertexNames();
    byte[] split = new byte[d.vertices()];
    for (int v = 0; v < split.length; v++) {
      if (d.labels()[v] != GraphData.UNLABELLED) {
        String group =
            names != null && d.info().nestedNames() ? outermost(names.get(v)) : Integer.toString(v);
        double u = uniform(seed + ":" + group);
        Split part =
            u < fractions.train()
                ? Split.TRAIN
                : u < fractions.train() + fractions.validation() ? Split.VALIDATION : Split.TEST;
        split[v] = part.code();
      }
    }
    return split;
  }

  private static String outermost(String name) {
    int dollar = name.indexOf('$');
    return dollar < 0 ? name : name.substring(0, dollar);
  }

  private static double uniform(String text) {
    int h = text.hashCode();
    h ^= h >>> 16;
    h *= 0x85ebca6b;
    h ^= h >>> 13;
    h *= 0xc2b2ae35;
    h ^= h >>> 16;
    return (h >>> 8) / (double) (1 << 24);
  }
}
