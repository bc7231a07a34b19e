package dev.gossamer.partition.refine;

import java.util.Arrays;

/// Prices that press down the maximum of what parts send and receive: the derivative of the sum of
/// powers `(rows(p) / average) ^ (1 + exponent)`. With growing exponents the sum of powers tends to
/// the maximum.
///
/// What a part sends costs between a quarter and sixteen times the usual price. What it receives
/// costs up to four times that, with an exponent of 2 at most: the neighbours of a hub are received
/// wherever it is, and steep prices for that would only be paid in what others send.
public final class Pressure {
  private static final double LEAST_SEND = 0.25;
  private static final double MOST_SEND = 16;
  private static final double MOST_RECEIVE = 4;
  private static final double MOST_RECEIVE_EXPONENT = 2;

  private final VolumeGains gains;

  /// Prices that start equal.
  ///
  /// @param gains of moves, with the partition that is changed
  public Pressure(VolumeGains gains) {
    this.gains = gains;
  }

  /// Sets the prices by the volumes as they are now.
  ///
  /// @param exponent how hard the busiest are pressed
  public void update(double exponent) {
    prices(gains.send(), gains.sendPrice(), exponent, LEAST_SEND, MOST_SEND);
    double soft = Math.min(exponent, MOST_RECEIVE_EXPONENT);
    prices(gains.receive(), gains.receivePrice(), soft, 0, MOST_RECEIVE);
  }

  private static void prices(
      long[] rows, long[] price, double exponent, double least, double most) {
    double average = Math.max(1, (double) Arrays.stream(rows).sum() / rows.length);
    for (int p = 0; p < rows.length; p++) {
      double factor = Math.pow((double) rows[p] / average, exponent);
      price[p] = (long) ((double) VolumeGains.UNIT * Math.clamp(factor, least, most));
    }
  }
}
