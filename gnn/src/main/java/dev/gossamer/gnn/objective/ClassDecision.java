package dev.gossamer.gnn.objective;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Softmax;
import org.jspecify.annotations.Nullable;

/// How classes follow from logits `z`: with a temperature `T`, the probabilities of a vertex are `p
/// = softmax(z / T)` (C. Guo et al., On calibration of modern neural networks, 2017). Its class is
/// the likeliest or, with a threshold `t`, of two classes the second where `p[1] >= t`.
///
/// @param temperature from [#MIN_TEMPERATURE] to [#MAX_TEMPERATURE]; above 1 for a network that is
///   too sure of itself
/// @param threshold between 0 and 1, without both; null for the likeliest class
public record ClassDecision(double temperature, @Nullable Double threshold) {
  /// The lowest temperature: lower ones leave only probabilities of 0 and 1.
  public static final double MIN_TEMPERATURE = 0.05;

  /// The highest temperature: higher ones make all classes equally likely.
  public static final double MAX_TEMPERATURE = 20;

  /// The softmax of the logits, and the likeliest class.
  public static final ClassDecision LIKELIEST = new ClassDecision(1, null);

  /// Checks the numbers.
  ///
  /// @throws IllegalArgumentException if one is out of range
  public ClassDecision {
    if (!isTemperature(temperature) || (threshold != null && !isThreshold(threshold))) {
      throw new IllegalArgumentException(
          "expected a temperature of %s to %s and a threshold between 0 and 1, found %s and %s"
              .formatted(MIN_TEMPERATURE, MAX_TEMPERATURE, temperature, threshold));
    }
  }

  /// {@return whether a number may be the temperature}
  ///
  /// @param number any number
  public static boolean isTemperature(double number) {
    return number >= MIN_TEMPERATURE && number <= MAX_TEMPERATURE;
  }

  /// {@return whether a number may be the threshold}
  ///
  /// @param number any number
  public static boolean isThreshold(double number) {
    return number > 0 && number < 1;
  }

  /// Turns logits into probabilities, in place.
  ///
  /// @param logits `n x C`, overwritten
  /// @param w threads that share the work
  public void probabilities(DenseMatrix logits, Workers w) {
    if (temperature != 1) {
      Softmax.scale(logits, (float) (1 / temperature), w);
    }
    Softmax.softmax(logits, w);
  }

  /// Finds the class of each row.
  ///
  /// @param probabilities `n x C`; `C = 2` with a threshold
  /// @param classes `n` classes, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the sizes do not fit
  public void classes(DenseMatrix probabilities, int[] classes, Workers w) {
    if (threshold == null) {
      Softmax.argmax(probabilities, classes, w);
      return;
    }
    if (probabilities.cols() != 2 || classes.length != probabilities.rows()) {
      throw new IllegalArgumentException(
          "classes: probabilities are %s but there is room for %d of two classes"
              .formatted(probabilities, classes.length));
    }
    for (int i = 0; i < classes.length; i++) {
      classes[i] = probabilities.get(i, 1) >= threshold ? 1 : 0;
    }
  }
}
