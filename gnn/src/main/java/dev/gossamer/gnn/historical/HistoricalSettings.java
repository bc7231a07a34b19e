package dev.gossamer.gnn.historical;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.sampling.Sampler;
import java.util.List;

/// How historical embeddings are kept and brought (MB, section 4.4, which has the defaults but that
/// of the life: 2 there).
///
/// @param lines `cs`, rows that a rank keeps for each layer at most; 0 keeps none
/// @param life `ls`, how many batches old a row may be, or [#AUTOMATIC]; rows come [#delay] old, so
///   that with a shorter life none is ever used, and none is sent
/// @param pushLimit `nc`, rows that a rank pushes to each other rank, per layer and batch, at most
/// @param delay `d`, batches between a push and its arrival, at least 1
/// @param onMiss what becomes of a vertex of another rank that the cache does not have
public record HistoricalSettings(int lines, int life, int pushLimit, int delay, OnMiss onMiss) {
  /// A life that goes by how fast embeddings move ([EmbeddingDrift]): batches fetch, epoch by
  /// epoch, until rows may be old enough that pushing them sends no more than fetching. Subgraphs,
  /// which cannot fetch, take a quarter of the batches of an epoch, once a row has come, and at
  /// least MB's 2.
  public static final int AUTOMATIC = -1;

  /// What MB measured with, but for the life, which is 2 there.
  public static final HistoricalSettings DEFAULT =
      new HistoricalSettings(1_000_000, AUTOMATIC, 2000, 1, OnMiss.DROP);

  /// What becomes of a vertex that the cache does not have.
  public enum OnMiss {
    /// The batch does without it: means are taken over the others.
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

  /// {@return whether batches fetch until embeddings move slowly enough}
  ///
  /// @param sampler of the batches
  public boolean fetchesAtFirst(Sampler sampler) {
    return life == AUTOMATIC && !sampler.drawsSubgraphs();
  }

  /// {@return how many batches old a row may be, if that does not follow from what is measured}
  ///
  /// @param turns batches of each rank per epoch
  public int life(int turns) {
    return life == AUTOMATIC
        ? (int) Math.min(Integer.MAX_VALUE, delay - 1L + Math.max(2, Math.ceilDiv(turns, 4)))
        : life;
  }

  /// {@return settings with which nothing is kept or sent}
  public HistoricalSettings keepingNone() {
    return new HistoricalSettings(0, 0, pushLimit, delay, onMiss);
  }

  /// {@return the same with another life}
  ///
  /// @param batches that an embedding may be old, or [#AUTOMATIC]
  public HistoricalSettings withLife(int batches) {
    return new HistoricalSettings(lines, batches, pushLimit, delay, onMiss);
  }

  /// {@return what is odd about these settings in a run, a line for each, with components in
  /// braces}
  ///
  /// @param turns batches of each rank per epoch
  /// @param epochs of the run
  public List<String> warnings(int turns, int epochs) {
    if (life(turns) < delay) {
      return List.of(
          "{cacheLife}: embeddings arrive %d batches old and may be %d, so that none is sent; raise {cacheLife} to {pushDelay} or more"
              .formatted(delay, life(turns)));
    }
    if (delay >= (long) turns * epochs) {
      return List.of(
          "{pushDelay}: embeddings arrive %d batches later and the run has %d of each rank, so that none is read; lower {pushDelay} or {batchSize}"
              .formatted(delay, (long) turns * epochs));
    }
    if (delay >= turns) {
      return List.of(
          "{pushDelay}: embeddings arrive %d batches later and an epoch has %d of each rank: none is read before epoch %d"
              .formatted(delay, turns, delay / turns + 1));
    }
    return List.of();
  }
}
