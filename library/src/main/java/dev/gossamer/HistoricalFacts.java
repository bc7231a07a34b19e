package dev.gossamer;

import dev.gossamer.gnn.historical.HistoricalCounts;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.run.Figures;
import dev.gossamer.run.Figures.Figure;
import dev.gossamer.run.Team;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// Measurements of historical embeddings, over all ranks.
///
/// @param settings of the caches and pushes, with the life that embeddings had; 0 if none was kept
/// @param fetchedBatches batches of each rank before the first for which embeddings were kept
/// @param hitRates of each layer: the share of the remote vertices whose rows were in the cache
/// @param ages hits of embeddings that were 0, 1, ... batches old
/// @param featureBytes sent once, before the first batch
/// @param pushedBytes sent per epoch: embeddings with their tags and announcements
/// @param shares of the time
public record HistoricalFacts(
    HistoricalSettings settings,
    int fetchedBatches,
    List<Double> hitRates,
    List<Long> ages,
    long featureBytes,
    double pushedBytes,
    Shares shares) {
  /// Shares of the epochs' time, each on the slowest rank.
  ///
  /// @param map determining which rows to push to which rank
  /// @param cache searching caches and copying rows
  /// @param waited waiting for pushed rows
  public record Shares(double map, double cache, double waited) {}

  /// Copies the lists.
  public HistoricalFacts {
    hitRates = List.copyOf(hitRates);
    ages = List.copyOf(ages);
  }

  /// Adds up the measurements of the ranks. Collective.
  ///
  /// @param seconds of all epochs
  static HistoricalFacts of(
      Team team,
      HistoricalSettings settings,
      int fetchedBatches,
      HistoricalCounts mine,
      int epochs,
      double seconds) {
    Figures all = new Figures();
    Figure oldest = all.largest(mine.oldest());
    Figure map = all.largest(mine.mapSeconds());
    Figure cache = all.largest(mine.searchSeconds() + mine.copySeconds());
    Figure waited = all.largest(mine.waitSeconds());
    List<Figure> hits =
        all.sums(IntStream.range(0, mine.layers()).mapToDouble(mine::hits).toArray());
    List<Figure> misses =
        all.sums(IntStream.range(0, mine.layers()).mapToDouble(mine::misses).toArray());
    Figure features = all.sum(mine.featureBytes());
    Figure pushed = all.sum(mine.pushedBytes());
    all.reduce(team);
    double[] ages =
        team.sum(
            IntStream.rangeClosed(0, (int) oldest.value()).mapToDouble(mine::hitsOfAge).toArray());
    List<Double> rates = new ArrayList<>();
    for (int l = 0; l < mine.layers(); l++) {
      double hit = hits.get(l).value();
      rates.add(hit == 0 ? 0 : hit / (hit + misses.get(l).value()));
    }
    double whole = Math.max(seconds, Double.MIN_NORMAL);
    return new HistoricalFacts(
        settings,
        fetchedBatches,
        rates,
        Arrays.stream(ages).mapToObj(hitsOfAge -> (long) hitsOfAge).toList(),
        (long) features.value(),
        pushed.value() / Math.max(1, epochs),
        new Shares(map.value() / whole, cache.value() / whole, waited.value() / whole));
  }
}
