package dev.gossamer.nn.optimizer;

/// How weights follow their gradients. With gradient `g`, rate `lr`, decay `wd`, and step `t`
/// counted from 1:
public sealed interface OptimizerRule {
  /// Pull towards zero; each rule says where it enters.
  double weightDecay();

  /// Float32 numbers of memory for each parameter.
  int slots();

  /// Kingma and Ba (2015), decay added to the gradient: `g += wd w; m = b1 m + (1-b1) g; v = b2 v +
  /// (1-b2) g^2; w -= lr * m / (1-b1^t) / (sqrt(v / (1-b2^t)) + eps)`.
  record Adam(double weightDecay, double beta1, double beta2, double epsilon)
      implements OptimizerRule {
    /// The published constants.
    public Adam(double weightDecay) {
      this(weightDecay, 0.9, 0.999, 1e-8);
    }

    @Override
    public int slots() {
      return 2;
    }
  }

  /// Loshchilov and Hutter (2019): as [Adam], but the decay acts on the weight, not through the
  /// gradient: `w -= lr * wd * w` first.
  record AdamW(double weightDecay, double beta1, double beta2, double epsilon)
      implements OptimizerRule {
    /// The published constants.
    public AdamW(double weightDecay) {
      this(weightDecay, 0.9, 0.999, 1e-8);
    }

    @Override
    public int slots() {
      return 2;
    }
  }

  /// Gradient descent with momentum: `g += wd w; m = mu m + g; w -= lr m`.
  record Sgd(double weightDecay, double momentum) implements OptimizerRule {
    @Override
    public int slots() {
      return 1;
    }
  }
}
