package dev.gossamer.matrix.dense;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;

/// The loss of numbers `z` that should be `y`, after `y` was brought to the scale of the outputs:
/// `y' = (y - mean) / deviation` for each column.
///
/// @param penalty loss of a difference
/// @param scale of each column
public record NumberLoss(Penalty penalty, Scale scale) implements TargetLoss {
  /// The loss of a difference `d = z - y'`.
  public sealed interface Penalty {
    /// {@return the loss}
    ///
    /// @param d difference
    double of(float d);

    /// {@return its derivative}
    ///
    /// @param d difference
    float slope(float d);

    /// `d^2`.
    record Squared() implements Penalty {
      @Override
      public double of(float d) {
        return (double) d * d;
      }

      @Override
      public float slope(float d) {
        return 2 * d;
      }
    }

    /// `|d|`.
    record Absolute() implements Penalty {
      @Override
      public double of(float d) {
        return Math.abs(d);
      }

      @Override
      public float slope(float d) {
        return Math.signum(d);
      }
    }

    /// `d^2 / 2` for differences up to `delta`, beyond `delta (|d| - delta / 2)` (P. J. Huber,
    /// 1964).
    ///
    /// @param delta positive
    record Huber(double delta) implements Penalty {
      @Override
      public double of(float d) {
        double size = Math.abs(d);
        return size <= delta ? size * size / 2 : delta * (size - delta / 2);
      }

      @Override
      public float slope(float d) {
        return (float) Math.clamp(d, -delta, delta);
      }
    }
  }

  /// The scale of each column.
  public interface Scale {
    /// {@return a number on the scale of the outputs}
    ///
    /// @param column of the number
    /// @param value of the target
    float scaled(int column, float value);
  }

  @Override
  public double row(DenseMatrix outputs, TargetRows targets, int row, float weight) {
    double sum = 0;
    for (int t = 0; t < outputs.cols(); t++) {
      float y = targets.get(row, t);
      if (Float.isNaN(y)) {
        outputs.set(row, t, 0);
      } else {
        float d = outputs.get(row, t) - scale.scaled(t, y);
        sum += penalty.of(d);
        outputs.set(row, t, weight * penalty.slope(d));
      }
    }
    return sum;
  }
}
