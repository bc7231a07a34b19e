package dev.gossamer.cli.graph;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.terminal.ReadWith;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the handling of remote vertices in minibatches.
@ReadWith("--mode minibatch --remote historical")
final class HistoricalOptions {
  /// Source of the rows of remote vertices.
  enum Remote {
    FETCH,
    HISTORICAL
  }

  @ReadWith("--mode minibatch")
  @Option(
      names = "--remote",
      paramLabel = "HOW",
      defaultValue = "fetch",
      description =
          "How minibatches get remote vertices: fetch (fetch their features and compute them) or historical (read them"
              + " from a per-layer cache that their owners refresh in the background) (default: ${DEFAULT-VALUE}).")
  Remote remote = Remote.FETCH;

  @Option(
      names = "--on-miss",
      paramLabel = "drop|fetch",
      description =
          "What a batch does with a vertex that is not cached: drop (leave it out; fast) or fetch (compute it from"
              + " fetched features; exact); subgraphs of the saint samplers always drop it (default: drop).")
  @Nullable OnMiss onMiss;

  @Option(
      names = "--cache-lines",
      paramLabel = "CS",
      description = "Maximum rows in each layer's cache on a rank (default: 1000000).")
  @Nullable Integer lines;

  @Option(
      names = "--cache-life",
      paramLabel = "LS|auto",
      description =
          "Maximum age of a cached embedding in batches; it arrives at age --push-delay. auto: batches fetch, and"
              + " measure how fast embeddings change, until caching costs almost no accuracy and sends no more bytes"
              + " than fetching; with the saint samplers, which cannot fetch, a quarter of an epoch's batches, at"
              + " least 2 (default: auto).")
  @Nullable String life;

  @Option(
      names = "--push-limit",
      paramLabel = "NC",
      description =
          "Maximum rows that a rank pushes to each other rank, per layer and batch; rows of high degree are more"
              + " likely to be pushed (default: 2000).")
  @Nullable Integer limit;

  @Option(
      names = "--push-delay",
      paramLabel = "D",
      description = "Batches between a push and its arrival (default: 1).")
  @Nullable Integer delay;

  boolean isHistorical() {
    return remote == Remote.HISTORICAL;
  }

  /// Returns the settings of the flags, or null if features are fetched.
  @Nullable HistoricalSettings settings() {
    if (!isHistorical()) {
      return null;
    }
    HistoricalSettings usual = HistoricalSettings.DEFAULT;
    return new HistoricalSettings(
        lines == null ? usual.lines() : lines,
        life == null ? usual.life() : parsedLife(life),
        limit == null ? usual.pushLimit() : limit,
        delay == null ? usual.delay() : delay,
        onMiss == null ? usual.onMiss() : onMiss);
  }

  private static int parsedLife(String given) {
    if (given.equalsIgnoreCase("auto")) {
      return HistoricalSettings.AUTOMATIC;
    }
    try {
      int batches = Integer.parseInt(given);
      InvalidSettingException.requireAtLeast("cacheLife", batches, 0);
      return batches;
    } catch (NumberFormatException e) {
      throw new InvalidInputException(
          "--cache-life: expected a number of batches or auto, found " + given, e);
    }
  }
}
