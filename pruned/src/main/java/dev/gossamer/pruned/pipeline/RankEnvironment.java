package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.Workers;
import dev.gossamer.base.trace.Timeline;
import dev.gossamer.comm.Link;
import org.jspecify.annotations.Nullable;

/// What a rank computes with, borrowed.
///
/// @param workers its threads
/// @param timeline on which it draws what it does
/// @param link the imitated network between ranks, or null for none
public record RankEnvironment(Workers workers, Timeline timeline, @Nullable Link link) {
  /// {@return threads alone: no timeline, no imitated network}
  ///
  /// @param workers borrowed
  public static RankEnvironment of(Workers workers) {
    return new RankEnvironment(workers, Timeline.OFF, null);
  }
}
