package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.optimizer.LearningRate;
import dev.gossamer.nn.optimizer.OptimizerRule;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Settings of the optimizer and the learning-rate schedule. Defaults depend on the data: AdamW for
/// texts, gradient descent with momentum for images, as in SAMO, section V.
///
/// @param optimizer null for the default of the kind of data
/// @param learningRate the maximum; null for 0.001, with gradient descent 0.05
/// @param minLearningRate at the end of the cosine; null for a tenth of the maximum
/// @param warmup iterations in which the learning rate grows to the maximum; null for a tenth of
///   the iterations, at most 50
/// @param momentum only for gradient descent; null for 0.9
/// @param weightDecay of matrices; biases and scales have none; null for 0.1 with AdamW, 0.0005
///   with gradient descent and none with Adam
public record OptimizerSettings(
    @Nullable Kind optimizer,
    @Nullable Double learningRate,
    @Nullable Double minLearningRate,
    @Nullable Integer warmup,
    @Nullable Double momentum,
    @Nullable Double weightDecay) {
  /// The optimizers.
  public enum Kind {
    /// Adam, with weight decay added to the gradient.
    ADAM,
    /// Adam with decoupled weight decay.
    ADAMW,
    /// Gradient descent with momentum.
    SGD;

    /// Reads `adam`, `adamw` or `sgd`.
    ///
    /// @param text the name from the user
    /// @return the optimizer
    /// @throws InvalidSettingException if the text is none of these
    public static Kind named(String text) {
      return Arrays.stream(values())
          .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(text))
          .findFirst()
          .orElseThrow(() ->
              new InvalidSettingException(
                  "{optimizer}: expected adam, adamw or sgd, found " + text));
    }
  }

  private static final int MOST_WARMUP = 50;

  /// The default momentum of gradient descent.
  public static final double DEFAULT_MOMENTUM = 0.9;

  /// The default optimizer of the kind of data.
  public static final OptimizerSettings DEFAULT =
      new OptimizerSettings(null, null, null, null, null, null);

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if a number is out of its range
  public OptimizerSettings {
    if (weightDecay != null) {
      InvalidSettingException.requireNotNegative("weightDecay", weightDecay);
    }
    if (momentum != null && !(momentum >= 0 && momentum < 1)) {
      throw new InvalidSettingException(
          "{momentum}: expected at least 0 and less than 1, found " + momentum);
    }
  }

  /// {@return a copy with another optimizer}
  ///
  /// @param newOptimizer null for the default of the kind of data
  public OptimizerSettings withOptimizer(@Nullable Kind newOptimizer) {
    return new OptimizerSettings(
        newOptimizer, learningRate, minLearningRate, warmup, momentum, weightDecay);
  }

  /// {@return a copy with another maximum learning rate}
  ///
  /// @param newRate null for the default
  public OptimizerSettings withLearningRate(@Nullable Double newRate) {
    return new OptimizerSettings(
        optimizer, newRate, minLearningRate, warmup, momentum, weightDecay);
  }

  /// {@return a copy with another learning rate at the end}
  ///
  /// @param newRate null for the default
  public OptimizerSettings withMinLearningRate(@Nullable Double newRate) {
    return new OptimizerSettings(optimizer, learningRate, newRate, warmup, momentum, weightDecay);
  }

  /// {@return a copy with another warm-up}
  ///
  /// @param newWarmup iterations; null for the defaults
  public OptimizerSettings withWarmup(@Nullable Integer newWarmup) {
    return new OptimizerSettings(
        optimizer, learningRate, minLearningRate, newWarmup, momentum, weightDecay);
  }

  /// {@return a copy with another momentum}
  ///
  /// @param newMomentum at least 0 and less than 1; null for the default
  public OptimizerSettings withMomentum(@Nullable Double newMomentum) {
    return new OptimizerSettings(
        optimizer, learningRate, minLearningRate, warmup, newMomentum, weightDecay);
  }

  /// {@return a copy with another weight decay}
  ///
  /// @param newDecay null for the default
  public OptimizerSettings withWeightDecay(@Nullable Double newDecay) {
    return new OptimizerSettings(
        optimizer, learningRate, minLearningRate, warmup, momentum, newDecay);
  }

  private Kind kind(boolean text) {
    return optimizer != null ? optimizer : text ? Kind.ADAMW : Kind.SGD;
  }

  /// @param text whether the data are a text
  /// @throws InvalidSettingException if there is a momentum and the optimizer has none
  OptimizerRule rule(boolean text) {
    Kind kind = kind(text);
    if (momentum != null && kind != Kind.SGD) {
      throw new InvalidSettingException(
          "{momentum}: expected none with {optimizer} %s, which has its own, found %s"
              .formatted(InvalidSettingException.nameOf(kind), momentum));
    }
    return switch (kind) {
      case ADAM -> new OptimizerRule.Adam(decay(0));
      case ADAMW -> new OptimizerRule.AdamW(decay(0.1), 0.9, 0.95, 1e-8);
      case SGD ->
          new OptimizerRule.Sgd(decay(5e-4), momentum == null ? DEFAULT_MOMENTUM : momentum);
    };
  }

  private double decay(double usual) {
    return weightDecay == null ? usual : weightDecay;
  }

  /// @param text whether the data are a text
  /// @throws InvalidSettingException if rates or warm-up do not fit each other or the run
  LearningRate schedule(boolean text, int iterations) {
    double usual = kind(text) == Kind.SGD ? 0.05 : 1e-3;
    double most = learningRate == null ? usual : learningRate;
    try {
      return new LearningRate.WarmupCosine(
          most,
          warmup == null ? Math.min(MOST_WARMUP, iterations / 10) : warmup,
          iterations,
          minLearningRate == null ? most / 10 : minLearningRate);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          "{learningRate}, {warmup}, {minLearningRate}: " + e.getMessage(), e);
    }
  }
}
