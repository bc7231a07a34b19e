package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.io.InvalidInputException;
import java.util.List;

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
  private Splits() {}

  /// Parts of the labelled vertices, each in `0..1`; together 1.
  public record Fractions(double train, double validation, double test) {
    public Fractions {
      double sum = train + validation + test;
      if (!(train >= 0 && validation >= 0 && test >= 0 && Math.abs(sum - 1) < 1e-9)) {
        throw new InvalidInputException(
            "split: expected parts of at least 0 that are together 1, found %s, %s and %s"
                .formatted(train, validation, test));
      }
    }

    /// Parts in per cent, `10/10/80`.
    ///
    /// @throws InvalidInputException if these are not three numbers that are together 100
    public static Fractions parse(String percent) {
      String[] parts = percent.split("/", -1);
      double[] numbers = new double[3];
      boolean valid = parts.length == 3;
      for (int i = 0; valid && i < 3; i++) {
        valid = parts[i].matches("[0-9]{1,3}(\\.[0-9]{1,9})?");
        numbers[i] = valid ? Double.parseDouble(parts[i]) : 0;
      }
      if (!valid || Math.abs(numbers[0] + numbers[1] + numbers[2] - 100) > 1e-7) {
        throw new InvalidInputException(
            "split: expected train/validation/test in per cent, together 100, like 10/10/80, found %s"
                .formatted(percent));
      }
      return new Fractions(numbers[0] / 100, numbers[1] / 100, numbers[2] / 100);
    }
  }

  /// The split of each vertex; unlabelled ones belong to no part.
  ///
  /// @return `n` codes, for [GraphData#withSplit]
  /// @throws InvalidInputException if the data set has no labels
  public static byte[] draw(GraphData d, Fractions fractions, long seed) {
    if (d.labels().length == 0) {
      throw new InvalidInputException(
          "%s: split: expected labelled vertices, found a data set without labels"
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
