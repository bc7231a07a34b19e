package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/// Computes what an encoding needs from the training vertices.
///
/// @param values all of the column
/// @param trained whether a row is a training vertex
record EncodingFit(ColumnValues values, LongPredicate trained) {
  /// Values of a column that are counted before they are hashed instead.
  private static final int MOST_VALUES = 1 << 17;

  /// Differences of rank below a thousandth of the vertices are none.
  private static final int MOST_POINTS = 1001;

  /// {@return the encoding with what was computed; the same, if it has it already}
  ///
  /// @param encoding of the schema
  FittedEncoding of(Encoding encoding) {
    requireType(encoding);
    return switch (encoding) {
      case FittedEncoding fitted -> fitted;
      case Encoding.Numeric(Encoding.Scale scale) ->
          switch (scale) {
            case NONE -> new FittedEncoding.Linear(scale, 0, 1, moments().missing > 0);
            case STANDARD -> {
              Moments moments = moments();
              yield new FittedEncoding.Linear(
                  scale, moments.mean, moments.deviation(), moments.missing > 0);
            }
            case QUANTILES -> ranks();
          };
      case Encoding.Categorical(int limit) -> categories(limit);
      case Encoding.Dates _ -> {
        Moments moments = moments();
        boolean timeOfDay = values.column().kind() == Column.Kind.STAMP;
        yield new FittedEncoding.Times(
            moments.mean, moments.deviation(), timeOfDay, moments.missing > 0);
      }
      case Encoding.Numbers _ -> elements();
    };
  }

  private void requireType(Encoding encoding) {
    Column column = values.column();
    String expected =
        switch (encoding) {
          case Encoding.Numeric _, FittedEncoding.Linear _, FittedEncoding.Ranks _ ->
              column.isNumeric() ? "" : "numbers";
          case Encoding.Dates _, FittedEncoding.Times _ ->
              column.isTime() ? "" : "dates or time stamps";
          case Encoding.Numbers _, FittedEncoding.Elements _ ->
              column.kind() == Column.Kind.NUMBERS ? "" : "lists of numbers";
          case Encoding.Categorical _,
              Encoding.Text _,
              FittedEncoding.OneHot _,
              FittedEncoding.Hashed _ ->
              "";
        };
    if (expected.equals("numbers") && column.kind() == Column.Kind.TEXT) {
      values.requireNumbers();
    }
    if (!expected.isEmpty() && !values.isEmpty()) {
      throw new InvalidInputException(
          "%s: column %s: expected %s, found %s"
              .formatted(values.where(), column.name(), expected, column.type()));
    }
  }

  /// Mean and deviation of training vertices, by Welford's method, in the order of the rows;
  /// missing values of all vertices.
  private static final class Moments {
    private long count;
    private double mean;
    private double squares;
    private long missing;

    void add(double x) {
      count++;
      double before = x - mean;
      mean += before / count;
      squares += before * (x - mean);
    }

    /// 1 for a constant.
    double deviation() {
      double deviation = Math.sqrt(squares / Math.max(1, count));
      return deviation > 0 ? deviation : 1;
    }
  }

  private Moments moments() {
    Moments moments = new Moments();
    values.numbers((row, x) -> {
      if (Double.isNaN(x)) {
        moments.missing++;
      } else if (trained.test(row)) {
        moments.add(x);
      }
    });
    return moments;
  }

  private FittedEncoding ranks() {
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
        all.length <= MOST_POINTS
            ? IntStream.range(0, all.length)
            : IntStream.range(0, MOST_POINTS)
                .map(i -> (int) ((long) i * (all.length - 1) / (MOST_POINTS - 1)));
    return new FittedEncoding.Ranks(kept.mapToObj(i -> all[i]).toList(), missing[0] > 0);
  }

  private FittedEncoding categories(int limit) {
    Set<String> distinct = new HashSet<>();
    long[] missing = new long[1];
    values.texts((row, text) -> {
      if (text == null) {
        missing[0]++;
      } else if (trained.test(row) && distinct.size() < MOST_VALUES) {
        distinct.add(text);
      }
    });
    return distinct.size() <= limit
        ? new FittedEncoding.OneHot(distinct.stream().sorted().toList(), missing[0] > 0)
        : new FittedEncoding.Hashed(limit, missing[0] > 0);
  }

  private FittedEncoding elements() {
    int[] length = {-1};
    long[] missing = new long[1];
    values.lists((row, list) -> {
      if (list == null) {
        missing[0]++;
      } else if (length[0] < 0 && list.length > FittedEncoding.MOST) {
        throw values.refused(
            row,
            "a list of at most %d numbers".formatted(FittedEncoding.MOST),
            "one of " + list.length);
      } else if (length[0] < 0) {
        length[0] = list.length;
      } else if (length[0] != list.length) {
        throw values.refused(
            row,
            "a list of %d numbers, as in rows before".formatted(length[0]),
            "one of " + list.length);
      }
    });
    return new FittedEncoding.Elements(Math.max(0, length[0]), missing[0] > 0);
  }
}
