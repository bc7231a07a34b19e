package dev.gossamer.tables;

import dev.gossamer.graph.TextHash;
import dev.gossamer.tables.ColumnEncoder.Features;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// The encoders of columns.
final class Encoders {
  private static final double DAY = 24 * 60 * 60;
  private static final double YEAR = 365.2425 * DAY;
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");

  private Encoders() {}

  /// {@return the encoder of a column}
  ///
  /// @param name of the column
  /// @param fitted encoding
  static ColumnEncoder of(String name, FittedEncoding fitted) {
    return switch (fitted) {
      case FittedEncoding.Linear linear -> new Standard(name, linear);
      case FittedEncoding.Ranks ranks -> new Quantiles(name, ranks);
      case FittedEncoding.OneHot values -> new Categories(name, values);
      case FittedEncoding.Hashed hashed -> new HashedCategories(name, hashed);
      case Encoding.Text(int buckets) -> new Words(name, buckets);
      case FittedEncoding.Times times -> new Cycles(name, times);
      case FittedEncoding.Elements elements -> new ListElements(name, elements);
    };
  }

  /// A feature that is a function of a number, and whether the number is missing.
  private interface OfNumber extends ColumnEncoder {
    String name();

    FittedEncoding fitted();

    float feature(double x);

    @Override
    default List<String> names() {
      return withMissing(List.of(name()), name(), fitted());
    }

    @Override
    default void encode(ColumnValues values, Features to) {
      boolean marksMissing = fitted().marksMissing();
      values.numbers((row, x) -> {
        if (!Double.isNaN(x)) {
          to.set(row, 0, feature(x));
        } else if (marksMissing) {
          to.set(row, 1, 1);
        }
      });
    }
  }

  private record Standard(String name, FittedEncoding.Linear fitted) implements OfNumber {
    @Override
    public float feature(double x) {
      return (float) ((x - fitted.mean()) / fitted.deviation());
    }
  }

  private record Quantiles(String name, FittedEncoding.Ranks fitted) implements OfNumber {
    @Override
    public float feature(double x) {
      int points = fitted.points().size();
      if (points == 0) {
        return 0;
      }
      int below = bound(x, false);
      int above = points - bound(x, true);
      return (float) (below - above) / points;
    }

    /// How many are below `x`, or, inclusive, at most `x`.
    private int bound(double x, boolean inclusive) {
      List<Double> points = fitted.points();
      int low = 0;
      int high = points.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (inclusive ? points.get(middle) <= x : points.get(middle) < x) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }

  private record Categories(String name, FittedEncoding.OneHot fitted) implements ColumnEncoder {
    @Override
    public List<String> names() {
      List<String> names = new ArrayList<>();
      fitted.values().forEach(value -> names.add(name + "=" + value));
      names.add(name + " other");
      return withMissing(names, name, fitted);
    }

    @Override
    public void encode(ColumnValues values, Features to) {
      Map<String, Integer> numbers = new LinkedHashMap<>();
      fitted.values().forEach(value -> numbers.put(value, numbers.size()));
      int others = numbers.size();
      values.texts((row, text) -> {
        if (text != null) {
          to.set(row, numbers.getOrDefault(text, others), 1);
        } else if (fitted.marksMissing()) {
          to.set(row, others + 1, 1);
        }
      });
    }
  }

  private record HashedCategories(String name, FittedEncoding.Hashed fitted)
      implements ColumnEncoder {
    @Override
    public List<String> names() {
      return withMissing(numbered(name + " hash", fitted.buckets()), name, fitted);
    }

    @Override
    public void encode(ColumnValues values, Features to) {
      values.texts((row, text) -> {
        if (text != null) {
          to.set(row, TextHash.bucket(text, fitted.buckets()), 1);
        } else if (fitted.marksMissing()) {
          to.set(row, fitted.buckets(), 1);
        }
      });
    }
  }

  /// Counts of hashed words, of unit length.
  private record Words(String name, int buckets) implements ColumnEncoder {
    @Override
    public List<String> names() {
      return numbered(name + " words", buckets);
    }

    @Override
    public void encode(ColumnValues values, Features to) {
      int[] counts = new int[buckets];
      values.texts((row, text) -> {
        if (text == null) {
          return;
        }
        Arrays.fill(counts, 0);
        Matcher words = WORD.matcher(text.toLowerCase(Locale.ROOT));
        while (words.find()) {
          counts[TextHash.bucket(words.group(), buckets)]++;
        }
        double squares = IntStream.of(counts).mapToDouble(count -> (double) count * count).sum();
        for (int b = 0; b < buckets; b++) {
          if (counts[b] > 0) {
            to.set(row, b, (float) (counts[b] / Math.sqrt(squares)));
          }
        }
      });
    }
  }

  private record Cycles(String name, FittedEncoding.Times fitted) implements ColumnEncoder {
    @Override
    public List<String> names() {
      List<String> names = new ArrayList<>(List.of(name + " elapsed"));
      List<String> cycles =
          fitted.timeOfDay() ? List.of("year", "week", "day") : List.of("year", "week");
      for (String cycle : cycles) {
        names.add(name + " sin of " + cycle);
        names.add(name + " cos of " + cycle);
      }
      return withMissing(names, name, fitted);
    }

    @Override
    public void encode(ColumnValues values, Features to) {
      int missing = names().size() - 1;
      values.numbers((row, x) -> {
        if (!Double.isNaN(x)) {
          to.set(row, 0, (float) ((x - fitted.mean()) / fitted.deviation()));
          cycle(row, 1, x / YEAR, to);
          cycle(row, 3, x / (7 * DAY), to);
          if (fitted.timeOfDay()) {
            cycle(row, 5, x / DAY, to);
          }
        } else if (fitted.marksMissing()) {
          to.set(row, missing, 1);
        }
      });
    }

    private static void cycle(long row, int feature, double turns, Features to) {
      double angle = 2 * Math.PI * (turns - Math.floor(turns));
      to.set(row, feature, (float) StrictMath.sin(angle));
      to.set(row, feature + 1, (float) StrictMath.cos(angle));
    }
  }

  private record ListElements(String name, FittedEncoding.Elements fitted)
      implements ColumnEncoder {
    @Override
    public List<String> names() {
      return withMissing(numbered(name, fitted.length()), name, fitted);
    }

    @Override
    public void encode(ColumnValues values, Features to) {
      int length = fitted.length();
      values.lists((row, list) -> {
        if (list == null) {
          if (fitted.marksMissing()) {
            to.set(row, length, 1);
          }
          return;
        }
        if (list.length != length) {
          throw values.refused(
              row, "a list of %d numbers".formatted(length), "one of " + list.length);
        }
        for (int i = 0; i < length; i++) {
          double x = list[i] instanceof Number number ? number.doubleValue() : Double.NaN;
          if (!Float.isFinite((float) x)) {
            throw values.refused(row, "a list of finite numbers", String.valueOf(list[i]));
          }
          to.set(row, i, (float) x);
        }
      });
    }
  }

  private static List<String> withMissing(
      List<String> names, String column, FittedEncoding fitted) {
    List<String> all = new ArrayList<>(names);
    if (fitted.marksMissing()) {
      all.add(column + " missing");
    }
    return List.copyOf(all);
  }

  private static List<String> numbered(String name, int count) {
    return IntStream.range(0, count).mapToObj(i -> name + "[" + i + "]").toList();
  }
}
