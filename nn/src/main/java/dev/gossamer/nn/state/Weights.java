package dev.gossamer.nn.state;

import dev.gossamer.matrix.DenseMatrix;
import java.util.Map;

/// What the weights of all states check.
final class Weights {
  private Weights() {}

  static void requireGradient(Weight weight, DenseMatrix x, DenseMatrix t) {
    if (x.cols() != weight.rows() || t.cols() != weight.cols()) {
      throw new IllegalArgumentException(
          "gradient: x is %s and t is %s but the parameter is %d x %d; x needs %d columns, t %d"
              .formatted(x, t, weight.rows(), weight.cols(), weight.rows(), weight.cols()));
    }
  }

  /// @throws IllegalArgumentException if there is none of this name
  static Weight named(Map<String, Weight> weights, String name) {
    Weight weight = weights.get(name);
    if (weight == null) {
      throw new IllegalArgumentException("no parameter is named " + name);
    }
    return weight;
  }
}
