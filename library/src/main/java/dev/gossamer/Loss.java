package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;

/// The loss of a vertex that training minimises.
public sealed interface Loss {
  /// {@return the name for users: `focal`}
  String label();

  /// [CrossEntropy] for classes and labels, [Squared] for numbers.
  record Auto() implements Loss {
    @Override
    public String label() {
      return "auto";
    }
  }

  /// The cross-entropy of the class; of several labels the mean over those that are known.
  record CrossEntropy() implements Loss {
    @Override
    public String label() {
      return "cross-entropy";
    }
  }

  /// The focal loss (Lin et al., 2017): the cross-entropy of a class with probability `p` times `(1
  /// - p)^gamma`, so that vertices that are predicted well count less.
  ///
  /// @param focalGamma not negative
  record Focal(double focalGamma) implements Loss {
    /// As in the paper.
    public static final double DEFAULT_GAMMA = 2;

    /// Checks the component.
    ///
    /// @throws InvalidSettingException if it is negative or not finite
    public Focal {
      InvalidSettingException.requireNotNegative("focalGamma", focalGamma);
    }

    @Override
    public String label() {
      return "focal";
    }
  }

  /// The squared error of standardised numbers.
  record Squared() implements Loss {
    @Override
    public String label() {
      return "squared";
    }
  }

  /// The absolute error of standardised numbers, on which outliers have less influence.
  record Absolute() implements Loss {
    @Override
    public String label() {
      return "absolute";
    }
  }

  /// Half the squared error of standardised numbers up to `delta`, and linear beyond (Huber, 1964).
  ///
  /// @param huberDelta positive, in standard deviations
  record Huber(double huberDelta) implements Loss {
    /// One standard deviation.
    public static final double DEFAULT_DELTA = 1;

    /// Checks the component.
    ///
    /// @throws InvalidSettingException if it is not positive and finite
    public Huber {
      if (!(huberDelta > 0 && huberDelta < Double.POSITIVE_INFINITY)) {
        throw new InvalidSettingException(
            "{huberDelta}: expected a positive number, found " + huberDelta);
      }
    }

    @Override
    public String label() {
      return "huber";
    }
  }
}
