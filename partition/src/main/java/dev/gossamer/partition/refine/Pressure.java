package dev.gossamer.partition.refine;

import java.util.Arrays;

/// Prices that press down the maximum of what parts send, and receive if asked: the derivative of
/// the sum of powers `(send(p) / average) ^ (1 + exponent)`, kept between a quarter and sixteen
/// times the usual price. With growing exponents the sum of powers tends to the maximum.
public final class Pressure {
  private final VolumeGains gains;
  private final boolean onReceivers;

  /// Prices that start equal.
  ///
  /// @param gains of moves, with the partition that is changed
  /// @param onReceivers whether what parts receive is pressed too
  public Pressure(VolumeGains gains, boolean onReceivers) {
    this.gains = gains;
    this.onReceivers = onReceivers;
  }

  /// Sets the prices by the volumes as they are now.
  ///
  /// @param exponent how hard the busiest are pressed
  public void update(double exponent) {
    prices(gains.send(), gains.sendPrice(), exponent);
    if (onReceivers) {
      prices(gains.receive(), gains.receivePrice(), exponent);
    }
  }

  private void prices(long[] rows, long[] price, double exponent) {
    double average = Math.max(1, (double) Arrays.stream(rows).sum() / rows.length);
    for (int p = 0; p < rows.length; p++) {
      double factor = Math.pow((double) rows[p] / average, exponent);
      price[p] = (long) ((double) VolumeGains.UNIT * Math.clamp(factor, 0.25, 16));
    }
  }
}
