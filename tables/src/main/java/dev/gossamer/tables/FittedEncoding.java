package dev.gossamer.tables;

import dev.gossamer.base.InvalidSettingException;
import java.util.List;
import java.util.stream.IntStream;

/// An [Encoding] with all that was computed from the training vertices: it gives the same features
/// for the same value in any table. [Encoding.Text] needs nothing to be computed.
///
/// Each says whether it has one more feature, which is 1 where a value is missing.
public sealed interface FittedEncoding extends Encoding
    permits FittedEncoding.Linear,
        FittedEncoding.Ranks,
        FittedEncoding.OneHot,
        FittedEncoding.Hashed,
        FittedEncoding.Times,
        FittedEncoding.Elements,
        Encoding.Text {
  /// Most values and numbers of one column.
  int MOST = 1 << 16;

  /// `(x - mean) / deviation`.
  ///
  /// @param scale [Encoding.Scale#STANDARD], or [Encoding.Scale#NONE] with mean 0 and deviation 1
  /// @param mean finite
  /// @param deviation positive and finite
  /// @param marksMissing whether missing values have a feature
  record Linear(Scale scale, double mean, double deviation, boolean marksMissing)
      implements FittedEncoding {
    /// Checks the numbers.
    ///
    /// @throws InvalidSettingException if one is not in its range
    public Linear {
      EncodingChecks.requireMoments(mean, deviation);
    }

    @Override
    public String name() {
      return "numeric";
    }
  }

  /// The share of training values below `x`, minus that above.
  ///
  /// @param points training values, or as many of them at equal distances of rank, ascending
  /// @param marksMissing whether missing values have a feature
  record Ranks(List<Double> points, boolean marksMissing) implements FittedEncoding {
    /// Checks the points.
    ///
    /// @throws InvalidSettingException if they do not ascend
    public Ranks {
      points = List.copyOf(points);
      List<Double> all = points;
      if (all.size() > MOST
          || IntStream.range(1, all.size()).anyMatch(i -> all.get(i) < all.get(i - 1))) {
        throw new InvalidSettingException(
            "{points}: expected at most %d ascending numbers, found others".formatted(MOST));
      }
    }

    @Override
    public String name() {
      return "numeric";
    }
  }

  /// A feature for each value, and one for all other values.
  ///
  /// @param values of training vertices, different
  /// @param marksMissing whether missing values have a feature
  record OneHot(List<String> values, boolean marksMissing) implements FittedEncoding {
    /// Checks the values.
    ///
    /// @throws InvalidSettingException if one occurs twice, or there are too many
    public OneHot {
      values = List.copyOf(values);
      if (values.size() > MOST || values.stream().distinct().count() < values.size()) {
        throw new InvalidSettingException(
            "{values}: expected at most %d different values, found others".formatted(MOST));
      }
    }

    @Override
    public String name() {
      return "categorical";
    }
  }

  /// A value sets the feature of its hash.
  ///
  /// @param buckets number of features
  /// @param marksMissing whether missing values have a feature
  record Hashed(int buckets, boolean marksMissing) implements FittedEncoding {
    /// Checks the number.
    ///
    /// @throws InvalidSettingException if it is not in 1..65536
    public Hashed {
      EncodingChecks.requireFeatures("buckets", buckets);
    }

    @Override
    public String name() {
      return "categorical";
    }
  }

  /// The time since the mean, and the cycles that a time is in.
  ///
  /// @param mean seconds since 1970
  /// @param deviation in seconds, positive
  /// @param timeOfDay whether the time of the day is a feature
  /// @param marksMissing whether missing values have a feature
  record Times(double mean, double deviation, boolean timeOfDay, boolean marksMissing)
      implements FittedEncoding {
    /// Checks the numbers.
    ///
    /// @throws InvalidSettingException if one is not in its range
    public Times {
      EncodingChecks.requireMoments(mean, deviation);
    }

    @Override
    public String name() {
      return "date";
    }
  }

  /// The elements of a list.
  ///
  /// @param length of every list
  /// @param marksMissing whether missing lists have a feature
  record Elements(int length, boolean marksMissing) implements FittedEncoding {
    /// Checks the length.
    ///
    /// @throws InvalidSettingException if it is negative or above [#MOST]
    public Elements {
      if (length < 0 || length > MOST) {
        throw new InvalidSettingException(
            "length: expected 0 to %d, found %d".formatted(MOST, length));
      }
    }

    @Override
    public String name() {
      return "list";
    }
  }

  /// {@return whether there is one more feature, which is 1 where the value is missing}
  boolean marksMissing();
}
