package dev.gossamer;

import dev.gossamer.gnn.historical.HistoricalCounts;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.run.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// What historical embeddings did, over all ranks.
///
/// @param settings of the caches and pushes, with the life that embeddings had; 0 if none was kept
/// @param fetchedBatches batches of each rank before the first for which embeddings were kept
/// @param hitRates of each layer: the share of the remote vertices whose rows were here
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
  /// @param map spent on finding out whom to push what
  /// @param cache spent on searching caches and copying rows
  /// @param waited for pushed rows
  public record Shares(double map, double cache, double waited) {}

  /// Copies the lists.
  public HistoricalFacts {
    hitRates = List.copyOf(hitRates);
    ages = List.copyOf(ages);
  }

  /// Adds up what the ranks did. Collective.
  ///
  /// @param seconds of all epochs
  static HistoricalFacts of(
      Team team,
      HistoricalSettings settings,
      int fetchedBatches,
      HistoricalCounts mine,
      int epochs,
      double seconds) {
    int layers = mine.layers();
    int oldest = (int) team.max(mine.oldest())[0];
    double[] counts = new double[2 * layers + oldest + 3];
    for (int l = 0; l < layers; l++) {
      counts[l] = (double) mine.hits(l);
      counts[layers + l] = (double) mine.misses(l);
    }
    for (int age = 0; age <= oldest; age++) {
      counts[2 * layers + age] = (double) mine.hitsOfAge(age);
    }
    counts[counts.length - 2] = (double) mine.featureBytes();
    counts[counts.length - 1] = (double) mine.pushedBytes();
    double[] sums = team.sum(counts);
    double[] largest =
        team.max(mine.mapSeconds(), mine.searchSeconds() + mine.copySeconds(), mine.waitSeconds());
    List<Double> rates = new ArrayList<>();
    for (int l = 0; l < layers; l++) {
      rates.add(sums[l] == 0 ? 0 : sums[l] / (sums[l] + sums[layers + l]));
    }
    double whole = Math.max(seconds, Double.MIN_NORMAL);
    return new HistoricalFacts(
        settings,
        fetchedBatches,
        rates,
        IntStream.rangeClosed(0, oldest).mapToObj(a -> (long) sums[2 * layers + a]).toList(),
        (long) sums[sums.length - 2],
        sums[sums.length - 1] / Math.max(1, epochs),
        new Shares(largest[0] / whole, largest[1] / whole, largest[2] / whole));
  }
}
