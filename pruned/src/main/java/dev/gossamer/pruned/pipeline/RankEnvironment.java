package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.Workers;
import dev.gossamer.base.trace.Timeline;
import dev.gossamer.comm.Link;
import org.jspecify.annotations.Nullable;

/// Threads, timeline and network of a rank, borrowed.
///
/// @param workers its threads
/// @param timeline that records its phases
/// @param link the imitated network between ranks, or null for none
public record RankEnvironment(Workers workers, Timeline timeline, @Nullable Link link) {
  /// {@return an environment without timeline and imitated network}
  ///
  /// @param workers borrowed
  public static RankEnvironment of(Workers workers) {
    return new RankEnvironment(workers, Timeline.OFF, null);
  }
}
