package dev.gossamer.nn.optimizer;

/// The factor of the loss that keeps small gradients from underflow in float16 (P. Micikevicius et
/// al., *Mixed Precision Training*, ICLR 2018, section 3.2): halved whenever a gradient is not
/// finite, in which case the iteration is skipped; doubled after a number of iterations without a
/// skip.
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

  /// Creates a scale.
  ///
  /// @param initial initial scale, at least 1
  /// @param patience number of iterations without a skip after which it is doubled
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

  /// {@return the number of iterations since the scale last changed}
  public int good() {
    return good;
  }

  /// {@return the number of skipped iterations so far}
  public long skipped() {
    return skipped;
  }

  /// Continues from a checkpoint.
  ///
  /// @param lastValue as returned by [#value]
  /// @param lastGood as returned by [#good]
  /// @param lastSkipped as returned by [#skipped]
  public void restore(double lastValue, int lastGood, long lastSkipped) {
    value = lastValue;
    good = lastGood;
    skipped = lastSkipped;
  }

  /// Ends an iteration. Must be called on all ranks with the same argument.
  ///
  /// @param finite whether the gradients of all ranks are finite
  /// @return whether the optimizer must take the step
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
