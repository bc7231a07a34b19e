package dev.gossamer.run;

import dev.gossamer.comm.Traffic;

/// What one rank sent in each epoch of a row of epochs that are all alike.
///
/// @param first 1-based
/// @param last 1-based
/// @param sent in each of them
record EpochTraffic(int first, int last, Traffic.Snapshot sent) {
  EpochTraffic until(int newLast) {
    return new EpochTraffic(first, newLast, sent);
  }
}
