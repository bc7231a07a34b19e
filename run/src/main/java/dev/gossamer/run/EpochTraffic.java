package dev.gossamer.run;

import dev.gossamer.comm.Traffic;

/// The traffic of one rank in consecutive epochs with equal traffic.
///
/// @param first 1-based
/// @param last 1-based
/// @param sent traffic of each of them
record EpochTraffic(int first, int last, Traffic.Snapshot sent) {
  EpochTraffic until(int newLast) {
    return new EpochTraffic(first, newLast, sent);
  }
}
