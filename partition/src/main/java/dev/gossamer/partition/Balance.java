package dev.gossamer.partition;

import dev.gossamer.base.InvalidSettingException;

/// The allowed imbalance of each load that a partition balances simultaneously: a part's load is at
/// most `(1 + epsilon)` times the average, rounded up.
///
/// @param vertices epsilon of the number of vertices: rows of features and memory
/// @param nonzeros epsilon of the sum of degrees: sparse compute
/// @param training epsilon of the number of training vertices, which count only if a
///   [PartitionRequest] has some
public record Balance(double vertices, double nonzeros, double training) {
  /// Epsilon of an unbounded load.
  public static final double FREE = Double.POSITIVE_INFINITY;

  /// Vertices within 3 %, nonzeros and training vertices within 5 %.
  public static final Balance DEFAULT = new Balance(0.03, 0.05, 0.05);

  /// Checks the epsilons.
  ///
  /// @throws InvalidSettingException if an epsilon is negative or not a number
  public Balance {
    require("vertexImbalance", vertices);
    require("nonzeroImbalance", nonzeros);
    require("trainImbalance", training);
  }

  /// {@return a balance that bounds only the number of vertices}
  ///
  /// @param epsilon 0.03 for 3 % above the average
  public static Balance ofVertices(double epsilon) {
    return new Balance(epsilon, FREE, FREE);
  }

  private static void require(String component, double epsilon) {
    if (!(epsilon >= 0)) {
      throw new InvalidSettingException(
          "{%s}: expected at least 0, found %s".formatted(component, epsilon));
    }
  }

  /// {@return a copy with another bound for the training vertices}
  ///
  /// @param epsilon excess of the largest part over the average, as a fraction
  public Balance withTraining(double epsilon) {
    return new Balance(vertices, nonzeros, epsilon);
  }
}
