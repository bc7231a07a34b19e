package dev.gossamer.partition.refine;

import java.util.Arrays;

/// The best partition met so far: least overload, then least volume. An int a vertex.
///
/// The volume that counts is the total, or where senders are pressed, the sum of the average and
/// twice the maximum of what parts send.
public final class BestPartition {
  private int[] part = {};
  private double overload = Double.POSITIVE_INFINITY;
  private double volume;

  /// Keeps the partition as it is now if it is better.
  public void offer(VolumeGains gains, boolean pressed) {
    long[] send = gains.send();
    double average = (double) Arrays.stream(send).sum() / send.length;
    double now = pressed ? average + 2.0 * Arrays.stream(send).max().orElse(0) : average;
    double over = gains.loads().overload();
    if (over < overload || (over == overload && now < volume)) {
      overload = over;
      volume = now;
      part = gains.parts().clone();
    }
  }

  /// Moves all vertices back to where they were at the best moment.
  public void restore(VolumeGains gains) {
    for (int v = 0; v < part.length; v++) {
      if (gains.parts()[v] != part[v]) {
        gains.apply(v, part[v]);
      }
    }
  }
}
