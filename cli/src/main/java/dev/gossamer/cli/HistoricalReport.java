package dev.gossamer.cli;

import dev.gossamer.gnn.historical.HistoricalCounts;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.run.Team;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What historical embeddings did, over all ranks.
///
/// @param hitRates of each layer's cache: the share of the vertices of other ranks that it had
/// @param ages hits of rows that were 0, 1, ... batches old
/// @param pushedBytes of an epoch
/// @param mapShare of the epochs that the slowest rank spent on finding out whom to push what
/// @param cacheShare of the epochs that it spent on searching caches and copying rows
/// @param waitShare of the epochs that it waited for pushed rows
record HistoricalReport(
    HistoricalSettings settings,
    List<Double> hitRates,
    List<Long> ages,
    double pushedBytes,
    double mapShare,
    double cacheShare,
    double waitShare) {

  /// Adds up what the ranks did. Collective.
  ///
  /// @param seconds of all epochs
  static HistoricalReport of(
      Team team, HistoricalSettings settings, HistoricalCounts mine, int epochs, double seconds) {
    int layers = mine.layers();
    double[] counts = new double[2 * layers + mine.oldest() + 2];
    for (int l = 0; l < layers; l++) {
      counts[l] = (double) mine.hits(l);
      counts[layers + l] = (double) mine.misses(l);
    }
    for (int age = 0; age <= mine.oldest(); age++) {
      counts[2 * layers + age] = (double) mine.hitsOfAge(age);
    }
    counts[counts.length - 1] = (double) mine.pushedBytes();
    double[] sums = team.sum(counts);
    double[] largest =
        team.max(mine.mapSeconds(), mine.searchSeconds() + mine.copySeconds(), mine.waitSeconds());
    List<Double> rates = new ArrayList<>();
    for (int l = 0; l < layers; l++) {
      rates.add(sums[l] == 0 ? 0 : sums[l] / (sums[l] + sums[layers + l]));
    }
    double whole = Math.max(seconds, Double.MIN_NORMAL);
    return new HistoricalReport(
        settings,
        rates,
        IntStream.rangeClosed(0, mine.oldest()).mapToObj(a -> (long) sums[2 * layers + a]).toList(),
        sums[sums.length - 1] / Math.max(1, epochs),
        largest[0] / whole,
        largest[1] / whole,
        largest[2] / whole);
  }

  void put(ObjectNode node) {
    node.put("on_miss", Choice.name(settings.onMiss()));
    node.put("cache_lines", settings.lines());
    node.put("cache_life", settings.life());
    node.put("push_limit", settings.pushLimit());
    node.put("push_delay", settings.delay());
    ArrayNode rates = node.putArray("hit_rate");
    hitRates.forEach(rates::add);
    ArrayNode staleness = node.putArray("staleness");
    ages.forEach(staleness::add);
    node.put("bytes_pushed_per_epoch", Math.round(pushedBytes));
    node.put("map_share", mapShare);
    node.put("cache_share", cacheShare);
    node.put("push_wait_share", waitShare);
  }

  void print(PrintWriter out) {
    out.printf(
        "cached   %s of the vertices of other ranks; %s%n",
        IntStream.range(0, hitRates.size())
            .mapToObj(l -> "L%d %s".formatted(l, percent(hitRates.get(l))))
            .collect(Collectors.joining(", ")),
        staleness());
    out.printf(
        Locale.ROOT,
        "pushed   %,d bytes an epoch; map %s, caches %s, waited %s of the time%n",
        Math.round(pushedBytes),
        percent(mapShare),
        percent(cacheShare),
        percent(waitShare));
  }

  private String staleness() {
    long all = ages.stream().mapToLong(Long::longValue).sum();
    String shares =
        IntStream.range(0, ages.size())
            .filter(age -> ages.get(age) > 0)
            .mapToObj(age -> "%d: %s".formatted(age, percent((double) ages.get(age) / all)))
            .collect(Collectors.joining(", "));
    return shares.isEmpty() ? "no row was used" : "batches old " + shares;
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }
}
