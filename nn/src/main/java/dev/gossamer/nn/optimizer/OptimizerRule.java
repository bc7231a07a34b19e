package dev.gossamer.nn.optimizer;

import dev.gossamer.base.InvalidSettingException;

/// The update rule of weights. With gradient `g`, rate `lr`, decay `wd`, and step `t` counted from
/// 1:
public sealed interface OptimizerRule {
  /// Decay rate of Adam's mean gradient, as published.
  double BETA1 = 0.9;

  /// Decay rate of Adam's mean squared gradient, as published.
  double BETA2 = 0.999;

  /// Added to Adam's denominator, as published.
  double EPSILON = 1e-8;

  /// {@return the weight decay, which each rule applies in its own way}
  double weightDecay();

  /// {@return the number of float32 state elements per parameter}
  int slots();

  /// Kingma and Ba (2015), decay added to the gradient: `g += wd w; m = b1 m + (1-b1) g; v = b2 v +
  /// (1-b2) g^2; w -= lr * m / (1-b1^t) / (sqrt(v / (1-b2^t)) + eps)`.
  ///
  /// @param weightDecay at least 0
  /// @param beta1 decay rate of the mean gradient, in `[0, 1)`
  /// @param beta2 decay rate of the mean squared gradient, in `[0, 1)`
  /// @param epsilon added to the denominator
  record Adam(double weightDecay, double beta1, double beta2, double epsilon)
      implements OptimizerRule {
    /// Checks the constants.
    ///
    /// @throws InvalidSettingException if a rate is not in `[0, 1)`
    public Adam {
      InvalidSettingException.requireRate("beta1", beta1);
      InvalidSettingException.requireRate("beta2", beta2);
    }

    /// Creates Adam with the published constants.
    ///
    /// @param weightDecay at least 0
    public Adam(double weightDecay) {
      this(weightDecay, BETA1, BETA2, EPSILON);
    }

    @Override
    public int slots() {
      return 2;
    }
  }

  /// Loshchilov and Hutter (2019): as [Adam], but the decay acts on the weight, not through the
  /// gradient: `w -= lr * wd * w` first.
  ///
  /// @param weightDecay at least 0
  /// @param beta1 decay rate of the mean gradient, in `[0, 1)`
  /// @param beta2 decay rate of the mean squared gradient, in `[0, 1)`
  /// @param epsilon added to the denominator
  record AdamW(double weightDecay, double beta1, double beta2, double epsilon)
      implements OptimizerRule {
    /// Checks the constants.
    ///
    /// @throws InvalidSettingException if a rate is not in `[0, 1)`
    public AdamW {
      InvalidSettingException.requireRate("beta1", beta1);
      InvalidSettingException.requireRate("beta2", beta2);
    }

    /// Creates AdamW with the published constants.
    ///
    /// @param weightDecay at least 0
    public AdamW(double weightDecay) {
      this(weightDecay, BETA1, BETA2, EPSILON);
    }

    @Override
    public int slots() {
      return 2;
    }
  }

  /// Gradient descent with momentum: `g += wd w; m = mu m + g; w -= lr m`.
  ///
  /// @param weightDecay at least 0
  /// @param momentum factor of the previous direction, in `[0, 1)`
  record Sgd(double weightDecay, double momentum) implements OptimizerRule {
    /// Checks the momentum.
    ///
    /// @throws InvalidSettingException if it is not in `[0, 1)`
    public Sgd {
      InvalidSettingException.requireRate("momentum", momentum);
    }

    @Override
    public int slots() {
      return 1;
    }
  }
}
