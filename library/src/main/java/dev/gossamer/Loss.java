package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;

/// The loss of a vertex that training minimises.
public sealed interface Loss {
  /// {@return the name for users: `focal`}
  String label();

  /// The cross-entropy of the class.
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
}
