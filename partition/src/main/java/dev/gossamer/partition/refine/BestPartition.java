package dev.gossamer.partition.refine;

import java.util.Arrays;

/// The best partition met so far: least overload, then least volume. An int per vertex.
///
/// The volume that counts is the average of what parts send, or where senders are pressed, the sum
/// of that and twice the maximum.
final class BestPartition {
  private final boolean pressed;
  private int[] part = {};
  private double overload = Double.POSITIVE_INFINITY;
  private double volume;

  BestPartition(boolean pressed) {
    this.pressed = pressed;
  }

  /// Keeps the partition as it is now if it is better.
  void offer(VolumeGains gains) {
    double now = volume(gains);
    double over = gains.loads().overload();
    if (over < overload || (over == overload && now < volume)) {
      overload = over;
      volume = now;
      part = gains.parts().clone();
    }
  }

  /// The volume that counts, of the partition as it is now.
  double volume(VolumeGains gains) {
    long[] send = gains.send();
    double average = (double) Arrays.stream(send).sum() / send.length;
    return pressed ? average + 2.0 * Arrays.stream(send).max().orElse(0) : average;
  }

  /// Moves all vertices back to where they were at the best moment.
  void restore(VolumeGains gains) {
    for (int v = 0; v < part.length; v++) {
      if (gains.parts()[v] != part[v]) {
        gains.apply(v, part[v]);
      }
    }
  }
}
