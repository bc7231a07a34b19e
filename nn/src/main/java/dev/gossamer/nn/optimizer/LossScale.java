package dev.gossamer.nn.optimizer;

/// What the loss is multiplied with so that small gradients do not vanish in float16 (P.
/// Micikevicius et al., *Mixed Precision Training*, ICLR 2018, section 3.2): halved whenever a
/// gradient is not finite, and that iteration skipped; doubled after some iterations without.
public final class LossScale {
  /// It is not halved below this.
  private static final double LEAST = 1;

  private final int patience;
  private double value;
  private int good;
  private long skipped;

  /// Uses the default constants: `2^16`, doubled after 2000 iterations.
  public LossScale() {
    this(0x1p16, 2000);
  }

  /// Begins with a scale.
  ///
  /// @param initial first scale, at least 1
  /// @param patience iterations without a skip after which it is doubled
  public LossScale(double initial, int patience) {
    if (!(initial >= LEAST && initial < Double.POSITIVE_INFINITY) || patience < 1) {
      throw new IllegalArgumentException(
          "loss scale: expected a scale and a patience of at least 1, found %s and %d"
              .formatted(initial, patience));
    }
    this.value = initial;
    this.patience = patience;
  }

  /// {@return the scale of the next iteration}
  public double value() {
    return value;
  }

  /// {@return iterations since the scale last changed}
  public int good() {
    return good;
  }

  /// {@return iterations skipped so far}
  public long skipped() {
    return skipped;
  }

  /// Continues from a checkpoint.
  ///
  /// @param lastValue as [#value] gave it
  /// @param lastGood as [#good] gave it
  /// @param lastSkipped as [#skipped] gave it
  public void restore(double lastValue, int lastGood, long lastSkipped) {
    value = lastValue;
    good = lastGood;
    skipped = lastSkipped;
  }

  /// Ends an iteration. To be called on all ranks with the same.
  ///
  /// @param finite whether the gradient of all ranks is
  /// @return whether the optimizer is to step
  public boolean advance(boolean finite) {
    if (!finite) {
      value = Math.max(LEAST, value / 2);
      good = 0;
      skipped++;
      return false;
    }
    good++;
    if (good == patience) {
      value *= 2;
      good = 0;
    }
    return true;
  }
}
