package dev.gossamer.partition;

import dev.gossamer.matrix.io.InvalidSettingException;

/// How much heavier than the average a part may be, for each of the loads that a partition
/// balances, all at once: a part's load is at most `(1 + epsilon)` times the average, rounded up.
///
/// @param vertices epsilon of the number of vertices: rows of features and memory
/// @param nonzeros epsilon of the sum of degrees: sparse compute
/// @param training epsilon of the number of training vertices, which count only where a
///   [PartitionRequest] names some
public record Balance(double vertices, double nonzeros, double training) {
  /// Epsilon of a load that may fall as it likes.
  public static final double FREE = Double.POSITIVE_INFINITY;

  /// Vertices within 3 %, nonzeros and training vertices within 5 %.
  public static final Balance DEFAULT = new Balance(0.03, 0.05, 0.05);

  /// Checks the epsilons.
  ///
  /// @throws InvalidSettingException if an epsilon is negative or no number
  public Balance {
    require("vertexImbalance", vertices);
    require("nonzeroImbalance", nonzeros);
    require("trainImbalance", training);
  }

  /// {@return a balance of the number of vertices alone}
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

  /// {@return the same with another bound of the training vertices}
  ///
  /// @param epsilon by how much the largest share may exceed the average, as a fraction
  public Balance withTraining(double epsilon) {
    return new Balance(vertices, nonzeros, epsilon);
  }
}
