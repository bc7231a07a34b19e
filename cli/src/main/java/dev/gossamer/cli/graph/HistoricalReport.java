package dev.gossamer.cli.graph;

import dev.gossamer.HistoricalFacts;
import dev.gossamer.cli.terminal.Choice;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Prints measurements of historical embeddings as text or JSON.
record HistoricalReport(HistoricalFacts facts) {
  void put(ObjectNode node) {
    node.put("on_miss", Choice.name(facts.settings().onMiss()));
    node.put("cache_lines", facts.settings().lines());
    node.put("cache_life", facts.settings().life());
    node.put("batches_fetched", facts.fetchedBatches());
    node.put("push_limit", facts.settings().pushLimit());
    node.put("push_delay", facts.settings().delay());
    ArrayNode rates = node.putArray("hit_rate");
    facts.hitRates().forEach(rates::add);
    ArrayNode staleness = node.putArray("staleness");
    facts.ages().forEach(staleness::add);
    node.put("bytes_features_once", facts.featureBytes());
    node.put("bytes_pushed_per_epoch", Math.round(facts.pushedBytes()));
    node.put("map_share", facts.shares().map());
    node.put("cache_share", facts.shares().cache());
    node.put("push_wait_share", facts.shares().waited());
  }

  void print(PrintWriter out) {
    if (facts.fetchedBatches() > 0) {
      out.printf(
          "kept     %s, after %d batches of each rank that fetched%n",
          facts.settings().life() == 0
              ? "no embeddings"
              : "embeddings for %d batches".formatted(facts.settings().life()),
          facts.fetchedBatches());
    }
    out.printf(
        "cached   %s of the remote vertices; %s%n",
        IntStream.range(0, facts.hitRates().size())
            .mapToObj(l -> "L%d %s".formatted(l, percent(facts.hitRates().get(l))))
            .collect(Collectors.joining(", ")),
        staleness());
    out.printf(
        Locale.ROOT,
        "pushed   %,d bytes per epoch, and %,d bytes of features once; map %s, caches %s, waited %s of the time%n",
        Math.round(facts.pushedBytes()),
        facts.featureBytes(),
        percent(facts.shares().map()),
        percent(facts.shares().cache()),
        percent(facts.shares().waited()));
  }

  /// Half of the hits are at most as old as the median.
  private String staleness() {
    long all = facts.ages().stream().mapToLong(Long::longValue).sum();
    if (all == 0) {
      return "no embedding was used";
    }
    int median = 0;
    for (long seen = facts.ages().get(0); 2 * seen < all; seen += facts.ages().get(median)) {
      median++;
    }
    return "embeddings %d batches old (median), at most %d"
        .formatted(median, facts.ages().size() - 1);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }
}
