package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.TextHash;
import dev.gossamer.tables.ColumnEncoder.Features;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// Fits the encoders of columns.
final class Encoders {
  private static final double DAY = 24 * 60 * 60;
  private static final double YEAR = 365.2425 * DAY;

  /// Values of a column that are counted before they are hashed instead.
  private static final int MOST_VALUES = 1 << 17;

  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");

  private Encoders() {}

  /// {@return the encoder of a column}
  ///
  /// @param encoding of the schema
  /// @param values all of the column
  /// @param trained whether a row is a training vertex
  static ColumnEncoder fit(Encoding encoding, ColumnValues values, LongPredicate trained) {
    requireType(encoding, values);
    String name = values.column().name();
    return switch (encoding) {
      case Encoding.Numeric(Encoding.Scale scale) ->
          switch (scale) {
            case NONE -> new Standard(name, 0, 1, Moments.of(values, trained).missing > 0);
            case STANDARD -> standard(name, Moments.of(values, trained));
            case QUANTILES -> Quantiles.of(name, values, trained);
          };
      case Encoding.Categorical(int limit) -> categories(name, limit, values, trained);
      case Encoding.Text(int buckets) -> new Words(name, buckets);
      case Encoding.Dates _ -> dates(name, Moments.of(values, trained), values.column());
      case Encoding.Numbers _ -> lists(name, values);
    };
  }

  private static void requireType(Encoding encoding, ColumnValues values) {
    Column column = values.column();
    boolean fits =
        switch (encoding) {
          case Encoding.Numeric _ -> column.isNumeric();
          case Encoding.Dates _ -> column.isTime();
          case Encoding.Numbers _ -> column.kind() == Column.Kind.NUMBERS;
          case Encoding.Categorical _, Encoding.Text _ -> true;
        };
    if (!fits) {
      throw new InvalidInputException(
          "%s: column %s: expected %s, found %s"
              .formatted(
                  values.where(),
                  column.name(),
                  switch (encoding) {
                    case Encoding.Dates _ -> "dates or time stamps";
                    case Encoding.Numbers _ -> "lists of numbers";
                    default -> "numbers";
                  },
                  column.type()));
    }
  }

  /// Mean and deviation of training vertices, by Welford's method, in the order of the rows;
  /// missing values of all vertices.
  private static final class Moments {
    private long count;
    private double mean;
    private double squares;
    private long missing;

    static Moments of(ColumnValues values, LongPredicate trained) {
      Moments moments = new Moments();
      values.numbers((row, x) -> {
        if (Double.isNaN(x)) {
          moments.missing++;
        } else if (trained.test(row)) {
          moments.count++;
          double before = x - moments.mean;
          moments.mean += before / moments.count;
          moments.squares += before * (x - moments.mean);
        }
      });
      return moments;
    }

    /// 1 for a constant.
    double deviation() {
      double deviation = Math.sqrt(squares / Math.max(1, count));
      return deviation > 0 ? deviation : 1;
    }
  }

  private static Standard standard(String name, Moments moments) {
    return new Standard(name, moments.mean, moments.deviation(), moments.missing > 0);
  }

  /// A feature that is a function of a number, and whether the number is missing.
  private interface OfNumber extends ColumnEncoder {
    String name();

    boolean marksMissing();

    float feature(double x);

    @Override
    default List<String> names() {
      return withMissing(List.of(name()), name(), marksMissing());
    }

    @Override
    default void encode(ColumnValues values, Features to) {
      values.numbers((row, x) -> {
        if (!Double.isNaN(x)) {
          to.set(row, 0, feature(x));
        } else if (marksMissing()) {
          to.set(row, 1, 1);
        }
      });
    }
  }

  /// `(x - mean) / deviation`.
  private record Standard(String name, double mean, double deviation, boolean marksMissing)
      implements OfNumber {
    @Override
    public float feature(double x) {
      return (float) ((x - mean) / deviation);
    }
  }

  /// The rank of a number among those of training vertices.
  private record Quantiles(String name, List<Double> sorted, boolean marksMissing)
      implements OfNumber {
    /// Differences below a thousandth of the vertices are none.
    private static final int MOST = 1001;

    static Quantiles of(String name, ColumnValues values, LongPredicate trained) {
      List<double[]> pieces = new ArrayList<>();
      long[] missing = new long[1];
      int[] count = {0};
      double[][] piece = {new double[1 << 16]};
      values.numbers((row, x) -> {
        if (Double.isNaN(x)) {
          missing[0]++;
        } else if (trained.test(row)) {
          if (count[0] == piece[0].length) {
            pieces.add(piece[0]);
            piece[0] = new double[1 << 16];
            count[0] = 0;
          }
          piece[0][count[0]++] = x;
        }
      });
      pieces.add(Arrays.copyOf(piece[0], count[0]));
      double[] all = pieces.stream().flatMapToDouble(Arrays::stream).sorted().toArray();
      IntStream kept =
          all.length <= MOST
              ? IntStream.range(0, all.length)
              : IntStream.range(0, MOST).map(i -> (int) ((long) i * (all.length - 1) / (MOST - 1)));
      return new Quantiles(name, kept.mapToObj(i -> all[i]).toList(), missing[0] > 0);
    }

    @Override
    public float feature(double x) {
      if (sorted.isEmpty()) {
        return 0;
      }
      int below = bound(x, false);
      int above = sorted.size() - bound(x, true);
      return (float) (below - above) / sorted.size();
    }

    /// How many are below `x`, or, inclusive, at most `x`.
    private int bound(double x, boolean inclusive) {
      int low = 0;
      int high = sorted.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (inclusive ? sorted.get(middle) <= x : sorted.get(middle) < x) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }

  private static ColumnEncoder categories(
      String name, int limit, ColumnValues values, LongPredicate trained) {
    Map<String, Long> counts = new HashMap<>();
    long[] missing = new long[1];
    values.texts((row, text) -> {
      if (text == null) {
        missing[0]++;
      } else if (trained.test(row) && counts.size() < MOST_VALUES) {
        counts.merge(text, 1L, Long::sum);
      }
    });
    boolean marksMissing = missing[0] > 0;
    return counts.size() <= limit
        ? new OneHot(name, List.copyOf(new TreeMap<>(counts).keySet()), marksMissing)
        : new Hashed(name, limit, marksMissing);
  }

  /// A feature for each value, and one for values that no training vertex has.
  private record OneHot(String name, List<String> known, boolean marksMissing)
      implements ColumnEncoder {
    @Override
    public List<String> names() {
      List<String> names = new ArrayList<>();
      known.forEach(value -> names.add(name + "=" + value));
      names.add(name + " other");
      return withMissing(names, name, marksMissing);
    }

    @Override
    public void encode(ColumnValues values, Features to) {
      Map<String, Integer> numbers = new LinkedHashMap<>();
      known.forEach(value -> numbers.put(value, numbers.size()));
      values.texts((row, text) -> {
        if (text != null) {
          to.set(row, numbers.getOrDefault(text, known.size()), 1);
        } else if (marksMissing) {
          to.set(row, known.size() + 1, 1);
        }
      });
    }
  }

  /// A value sets the feature of its hash.
  private record Hashed(String name, int buckets, boolean marksMissing) implements ColumnEncoder {
    @Override
    public List<String> names() {
      return withMissing(numbered(name + " hash", buckets), name, marksMissing);
    }

    @Override
    public void encode(ColumnValues values, Features to) {
      values.texts((row, text) -> {
        if (text != null) {
          to.set(row, TextHash.bucket(text, buckets), 1);
        } else if (marksMissing) {
          to.set(row, buckets, 1);
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

  private static ColumnEncoder dates(String name, Moments moments, Column column) {
    return new Times(
        name,
        moments.mean,
        moments.deviation(),
        column.kind() == Column.Kind.STAMP,
        moments.missing > 0);
  }

  /// The time since the mean, and the cycles that it is in.
  private record Times(
      String name, double mean, double deviation, boolean ofDay, boolean marksMissing)
      implements ColumnEncoder {
    @Override
    public List<String> names() {
      List<String> names = new ArrayList<>(List.of(name + " elapsed"));
      for (String cycle : ofDay ? List.of("year", "week", "day") : List.of("year", "week")) {
        names.add(name + " sin of " + cycle);
        names.add(name + " cos of " + cycle);
      }
      return withMissing(names, name, marksMissing);
    }

    @Override
    public void encode(ColumnValues values, Features to) {
      int missing = names().size() - 1;
      values.numbers((row, x) -> {
        if (!Double.isNaN(x)) {
          to.set(row, 0, (float) ((x - mean) / deviation));
          cycle(row, 1, x / YEAR, to);
          cycle(row, 3, x / (7 * DAY), to);
          if (ofDay) {
            cycle(row, 5, x / DAY, to);
          }
        } else if (marksMissing) {
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

  private static ColumnEncoder lists(String name, ColumnValues values) {
    int[] width = {-1};
    long[] missing = new long[1];
    values.lists((row, list) -> {
      if (list == null) {
        missing[0]++;
      } else if (width[0] < 0) {
        width[0] = list.length;
      } else if (width[0] != list.length) {
        throw values.refused(
            row,
            "a list of %d numbers, as in rows before".formatted(width[0]),
            "one of " + list.length);
      }
    });
    return new Elements(name, Math.max(0, width[0]), missing[0] > 0);
  }

  /// The elements of a list.
  private record Elements(String name, int width, boolean marksMissing) implements ColumnEncoder {
    @Override
    public List<String> names() {
      return withMissing(numbered(name, width), name, marksMissing);
    }

    @Override
    public void encode(ColumnValues values, Features to) {
      values.lists((row, list) -> {
        if (list == null) {
          to.set(row, width, 1);
          return;
        }
        for (int i = 0; i < width; i++) {
          double x = list[i] instanceof Number number ? number.doubleValue() : Double.NaN;
          if (!Float.isFinite((float) x)) {
            throw values.refused(row, "a list of finite numbers", String.valueOf(list[i]));
          }
          to.set(row, i, (float) x);
        }
      });
    }
  }

  private static List<String> withMissing(List<String> names, String column, boolean marked) {
    List<String> all = new ArrayList<>(names);
    if (marked) {
      all.add(column + " missing");
    }
    return List.copyOf(all);
  }

  private static List<String> numbered(String name, int count) {
    return IntStream.range(0, count).mapToObj(i -> name + "[" + i + "]").toList();
  }
}
