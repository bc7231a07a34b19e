package dev.gossamer.partition.refine;

import java.util.Arrays;

/// The best partition so far: least overload, then least volume. Memory: an int per vertex.
///
/// The volume is the average that parts send; for the busiest-volume objective, plus 1.5 times the
/// maximum that a part sends, plus half of the maximum that a part sends or receives.
final class BestPartition {
  private static final double SENT = 1.5;
  private static final double EITHER = 0.5;

  private final boolean pressed;
  private int[] part = {};
  private double overload = Double.POSITIVE_INFINITY;
  private double volume;

  BestPartition(boolean pressed) {
    this.pressed = pressed;
  }

  /// Stores the current partition if it is better.
  void offer(VolumeGains gains) {
    double now = volume(gains);
    double over = gains.loads().overload();
    if (over < overload || (over == overload && now < volume)) {
      overload = over;
      volume = now;
      part = gains.parts().clone();
    }
  }

  /// Returns the volume of the current partition.
  double volume(VolumeGains gains) {
    long[] send = gains.send();
    double average = (double) Arrays.stream(send).sum() / send.length;
    if (!pressed) {
      return average;
    }
    long sent = Arrays.stream(send).max().orElse(0);
    long received = Arrays.stream(gains.receive()).max().orElse(0);
    return average + SENT * (double) sent + EITHER * (double) Math.max(sent, received);
  }

  /// Restores the best partition.
  void restore(VolumeGains gains) {
    for (int v = 0; v < part.length; v++) {
      if (gains.parts()[v] != part[v]) {
        gains.apply(v, part[v]);
      }
    }
  }
}
