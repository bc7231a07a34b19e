package dev.gossamer.partition.refine;

import java.util.Arrays;

/// Prices that reduce the maximum that parts send and receive: the derivative of the sum of powers
/// `(rows(p) / average) ^ (1 + exponent)`. With growing exponents the sum of powers tends to the
/// maximum.
///
/// A sent row costs between 1/4 and 16 times the normal price. A received row costs up to 4 times
/// that, with an exponent of at most 2: the neighbours of a hub are received by any part that has
/// it, so steeper prices would only increase the rows that other parts send.
public final class Pressure {
  private static final double LEAST_SEND = 0.25;
  private static final double MOST_SEND = 16;
  private static final double MOST_RECEIVE = 4;
  private static final double MOST_RECEIVE_EXPONENT = 2;

  private final VolumeGains gains;

  /// Creates equal prices.
  ///
  /// @param gains of moves, with the partition to change
  public Pressure(VolumeGains gains) {
    this.gains = gains;
  }

  /// Sets the prices from the current volumes.
  ///
  /// @param exponent steepness of the prices
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
