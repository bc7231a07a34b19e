package dev.gossamer.planner;

import dev.gossamer.base.InvalidSettingException;

/// The link between two ranks, over which a message takes `latency + bytes / bandwidth` seconds.
///
/// @param latency seconds of an empty message
/// @param bandwidth bytes per second
public record LinkRates(double latency, double bandwidth) {
  /// Checks the components.
  ///
  /// @throws InvalidSettingException if the latency is negative or the bandwidth is not positive
  public LinkRates {
    if (!(latency >= 0)) {
      throw new InvalidSettingException("{latency}: expected at least 0 s, found " + latency);
    }
    if (!(bandwidth > 0)) {
      throw new InvalidSettingException(
          "{bandwidth}: expected more than 0 bytes a second, found " + bandwidth);
    }
  }

  /// {@return seconds of some messages}
  ///
  /// @param messages how many
  /// @param bytes of all of them
  public double seconds(long messages, double bytes) {
    return messages * latency + bytes / bandwidth;
  }
}
