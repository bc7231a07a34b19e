package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.TextHash;
import java.util.List;
import java.util.Objects;

/// Draws random splits by a rule that can be implemented in any language: each group of vertices
/// has a number `u` in `[0, 1)` that depends only on the seed and on the group's name, so that the
/// part of a vertex does not depend on the other vertices.
///
/// `u = (h(seed + ":" + group) >>> 8) / 2^24`, where `h` is [TextHash]. A vertex is a training
/// vertex if `u < train`, a validation vertex if `u < train + validation`, and a test vertex
/// otherwise.
///
/// The group of a vertex is its name up to the first `$` if names are those of nested classes, so
/// that classes of one source file stay together; otherwise it is its number in decimal.
public final class Splits {
  /// Fractions whose sum is 1 up to this tolerance are kept unchanged.
  private static final double ROUNDING = 1e-9;

  private Splits() {}

  /// Fractions of the labelled vertices, on any scale: `(60, 20, 20)` or `(0.6, 0.2, 0.2)`. They
  /// are normalised to the sum 1.
  ///
  /// @param train at least 0
  /// @param validation at least 0
  /// @param test at least 0
  public record Fractions(double train, double validation, double test) {
    /// 60/20/20, the default for data sets without a split: each part is large enough for
    /// meaningful scores on a graph of a few thousand vertices.
    public static final Fractions DEFAULT = new Fractions(60, 20, 20);

    /// Checks the fractions and normalises their sum to 1.
    ///
    /// @throws InvalidSettingException if one is negative or not a number, or all are 0
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

    /// {@return fractions parsed from percentages, `10/10/80`, or fractions, `0.1/0.1/0.8`}. Other
    /// scales are refused, because on the command line they are more likely typing errors.
    ///
    /// @param percent three numbers separated by slashes
    /// @throws InvalidSettingException if these are not three numbers with the sum 100 or 1
    public static Fractions parse(String percent) {
      return parse("split", percent);
    }

    /// {@return the same of another setting}
    ///
    /// @param setting that a message names
    /// @param percent three numbers separated by slashes
    /// @throws InvalidSettingException if these are not three numbers with the sum 100 or 1
    public static Fractions parse(String setting, String percent) {
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
            "{%s}: expected train/validation/test in percent, together 100, like 10/10/80, found %s"
                .formatted(setting, percent));
      }
      double scale = sum > 2 ? 100 : 1;
      return new Fractions(numbers[0] / scale, numbers[1] / scale, numbers[2] / scale);
    }
  }

  /// Draws the split of each vertex; unlabelled vertices belong to no part:
  ///
  /// ```java
  /// GraphData split = d.withSplit(Splits.draw(d, Splits.Fractions.DEFAULT, 0));
  /// ```
  ///
  /// @param d a data set with labels
  /// @param fractions of the parts
  /// @param seed of the draw
  /// @return `n` codes, for [GraphData#withSplit]
  /// @throws InvalidSettingException if the data set has no labels
  public static byte[] draw(GraphData d, Fractions fractions, long seed) {
    Objects.requireNonNull(d, "d");
    Objects.requireNonNull(fractions, "fractions");
    if (!d.hasTruth()) {
      throw new InvalidSettingException(
          "%s: {split}: expected labelled vertices, found a data set without labels"
              .formatted(d.name()));
    }
    List<String> names = d.vertexNames();
    byte[] split = new byte[d.vertices()];
    for (int v = 0; v < split.length; v++) {
      if (d.isKnown(v)) {
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

  /// {@return the number of a group, in `[0, 1)`}
  ///
  /// @param text seed and name of the group, `seed:group`
  public static double uniform(String text) {
    return (TextHash.of(text) >>> 8) / (double) (1 << 24);
  }
}
