package dev.gossamer.gnn.historical;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.sampling.Sampler;
import java.util.List;

/// How historical embeddings are cached and pushed. Defaults are those of MB, section 4.4, except
/// for the life, which is 2 there.
///
/// @param lines `cs`, maximum rows that a rank caches for each layer; 0 for none
/// @param life `ls`, maximum age of a row in batches, or [#AUTOMATIC]; rows arrive at age [#delay],
///   so that with a shorter life none is sent
/// @param pushLimit `nc`, maximum rows that a rank pushes to each other rank, per layer and batch
/// @param delay `d`, batches between a push and its arrival, at least 1
/// @param onMiss what happens to a remote vertex that is not cached
public record HistoricalSettings(int lines, int life, int pushLimit, int delay, OnMiss onMiss) {
  /// A life that depends on how fast embeddings change ([EmbeddingDrift]): batches fetch, epoch by
  /// epoch, until rows may be so old that pushing sends no more than fetching. Subgraphs cannot
  /// fetch; their rows live for a quarter of the batches of an epoch after arrival, and at least
  /// MB's 2.
  public static final int AUTOMATIC = -1;

  /// The settings of MB, except for the life, which is 2 there.
  public static final HistoricalSettings DEFAULT =
      new HistoricalSettings(1_000_000, AUTOMATIC, 2000, 1, OnMiss.DROP);

  /// What happens to a vertex that is not cached.
  public enum OnMiss {
    /// The batch omits it: means are taken over the others.
    DROP,
    /// It is computed in the batch, from features that are fetched while the rank waits.
    FETCH
  }

  /// Checks the numbers.
  ///
  /// @throws InvalidSettingException if a number is too small
  public HistoricalSettings {
    InvalidSettingException.requireAtLeast("cacheLines", lines, 0);
    InvalidSettingException.requireAtLeast("cacheLife", life, AUTOMATIC);
    InvalidSettingException.requireAtLeast("pushLimit", pushLimit, 0);
    InvalidSettingException.requireAtLeast("pushDelay", delay, 1);
  }

  /// {@return whether batches fetch until embeddings change slowly enough}
  ///
  /// @param sampler of the batches
  public boolean fetchesAtFirst(Sampler sampler) {
    return life == AUTOMATIC && !sampler.drawsSubgraphs();
  }

  /// {@return maximum age of a row in batches, if it is not measured}
  ///
  /// @param turns batches of each rank per epoch
  public int life(int turns) {
    return life == AUTOMATIC
        ? (int) Math.min(Integer.MAX_VALUE, delay - 1L + Math.max(2, Math.ceilDiv(turns, 4)))
        : life;
  }

  /// {@return settings that cache and send nothing}
  public HistoricalSettings keepingNone() {
    return new HistoricalSettings(0, 0, pushLimit, delay, onMiss);
  }

  /// {@return a copy with another life}
  ///
  /// @param batches maximum age of an embedding, or [#AUTOMATIC]
  public HistoricalSettings withLife(int batches) {
    return new HistoricalSettings(lines, batches, pushLimit, delay, onMiss);
  }

  /// {@return warnings about these settings, one line each, with components in braces}
  ///
  /// @param turns batches of each rank per epoch
  /// @param epochs of the run
  public List<String> warnings(int turns, int epochs) {
    if (life(turns) < delay) {
      return List.of(
          "{cacheLife}: embeddings are %d batches old when they arrive and may be at most %d, so none is sent; raise {cacheLife} to {pushDelay} or more"
              .formatted(delay, life(turns)));
    }
    if (delay >= (long) turns * epochs) {
      return List.of(
          "{pushDelay}: embeddings arrive after %d batches but the run has %d per rank, so none is read; lower {pushDelay} or {batchSize}"
              .formatted(delay, (long) turns * epochs));
    }
    if (delay >= turns) {
      return List.of(
          "{pushDelay}: embeddings arrive after %d batches but an epoch has %d per rank, so none is read before epoch %d"
              .formatted(delay, turns, delay / turns + 1));
    }
    return List.of();
  }
}
