package dev.gossamer.tables;

import dev.gossamer.base.InvalidSettingException;

/// How a column becomes features. What is computed from the data, such as means, is computed from
/// the training vertices alone, and is a [FittedEncoding].
///
/// A missing value becomes 0, and a column with missing values has one more feature, which is 1
/// where the value is missing.
public sealed interface Encoding
    permits Encoding.Numeric,
        Encoding.Categorical,
        Encoding.Dates,
        Encoding.Numbers,
        FittedEncoding {
  /// How numbers are scaled.
  enum Scale {
    /// `(x - mean) / deviation`.
    STANDARD,
    /// The share of training values below `x`, minus that above, in `[-1, 1]`.
    QUANTILES,
    /// As they are.
    NONE
  }

  /// A number, or `true` as 1 and `false` as 0.
  ///
  /// @param scale of the numbers
  record Numeric(Scale scale) implements Encoding {
    @Override
    public String name() {
      return "numeric";
    }
  }

  /// One of few values. With at most `limit` values among the training vertices, each has a feature
  /// of its own, and the others share one; with more, values are hashed to `limit` features.
  ///
  /// @param limit of features, at least 1
  record Categorical(int limit) implements Encoding {
    /// The usual limit.
    public static final int USUAL = 64;

    /// Checks the limit.
    ///
    /// @throws InvalidSettingException if it is not in 1..65536
    public Categorical {
      EncodingChecks.requireFeatures("limit", limit);
    }

    @Override
    public String name() {
      return "categorical";
    }
  }

  /// Words, hashed to counts of unit length. Words are runs of letters and digits, in lower case.
  ///
  /// @param buckets number of features
  record Text(int buckets) implements FittedEncoding {
    /// The usual number.
    public static final int USUAL = 64;

    /// Checks the number.
    ///
    /// @throws InvalidSettingException if it is not in 1..65536
    public Text {
      EncodingChecks.requireFeatures("buckets", buckets);
    }

    @Override
    public String name() {
      return "text";
    }

    @Override
    public boolean marksMissing() {
      return false;
    }
  }

  /// A date or a time stamp: the time since the mean, in deviations, and sine and cosine of the day
  /// of the year, the day of the week and, of time stamps, the time of the day.
  record Dates() implements Encoding {
    @Override
    public String name() {
      return "date";
    }
  }

  /// A list of numbers of one length, as they are.
  record Numbers() implements Encoding {
    @Override
    public String name() {
      return "list";
    }
  }

  /// {@return the name in a schema}
  String name();
}
