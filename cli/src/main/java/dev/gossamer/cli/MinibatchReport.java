package dev.gossamer.cli;

import dev.gossamer.gnn.feature.FetchCounts;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.minibatch.MinibatchCounts;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchTrainer;
import dev.gossamer.nn.Phase;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Team;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What minibatch training did in an epoch, over all ranks.
///
/// @param ranks that trained
/// @param batches of an epoch
/// @param leastBatches of an epoch of a rank
/// @param mostBatches of an epoch of a rank
/// @param edges sampled in an epoch
/// @param sampleSeconds that drawing took in an epoch, on the slowest rank, in whichever thread
/// @param fetchSeconds that fetching took in an epoch, likewise
/// @param sampleWaitSeconds of an epoch that the slowest rank waited for batches
/// @param fetchWaitSeconds of an epoch that the slowest rank waited for features
/// @param propagateSeconds the rest of an epoch
/// @param evaluateSeconds of one evaluation
/// @param fetchedBytes of features from other ranks in an epoch
/// @param hitRate share of the features of other ranks that the caches had
/// @param historical what historical embeddings did, or null if there are none
/// @param made the partition that says who has what, or null if none was made
record MinibatchReport(
    MinibatchSettings settings,
    int ranks,
    double batches,
    double leastBatches,
    double mostBatches,
    double edges,
    double sampleSeconds,
    double fetchSeconds,
    double sampleWaitSeconds,
    double fetchWaitSeconds,
    double propagateSeconds,
    double evaluateSeconds,
    double fetchedBytes,
    double hitRate,
    @Nullable HistoricalReport historical,
    @Nullable Partitioning made)
    implements RunFacts {

  /// Adds up what the ranks did. Collective.
  ///
  /// @param records of the epochs that the trainer has done
  static MinibatchReport of(
      MinibatchTrainer trainer, List<EpochRecord> records, @Nullable Partitioning made) {
    MinibatchCounts mine = trainer.counts();
    Team team = trainer.team();
    double epochs = Math.max(1, records.size());
    FetchCounts fetched = mine.fetched();
    double[] sums =
        team.sum(
            1,
            (double) mine.batches(),
            (double) mine.edges(),
            (double) fetched.bytes(),
            (double) fetched.cached(),
            (double) fetched.fetched());
    double[] largest =
        team.max(
            mine.sampleSeconds(),
            fetched.seconds(),
            mine.evaluateSeconds() / Math.max(1, mine.evaluations()),
            (double) mine.batches(),
            (double) -mine.batches());
    double sampleWait = TrainReport.median(records, Phase.SAMPLE);
    double fetchWait = TrainReport.median(records, Phase.FETCH);
    return new MinibatchReport(
        trainer.settings(),
        (int) sums[0],
        sums[1] / epochs,
        -largest[4] / epochs,
        largest[3] / epochs,
        sums[2] / epochs,
        largest[0] / epochs,
        largest[1] / epochs,
        sampleWait,
        fetchWait,
        Math.max(0, TrainReport.median(records) - sampleWait - fetchWait),
        largest[2],
        sums[3] / epochs,
        new FetchCounts(0, (long) sums[4], (long) sums[5], 0, 0).hitRate(),
        historical(trainer, mine, records),
        made);
  }

  private static @Nullable HistoricalReport historical(
      MinibatchTrainer trainer, MinibatchCounts mine, List<EpochRecord> records) {
    HistoricalSettings settings = trainer.settings().historical();
    if (settings == null || mine.historical() == null) {
      return null;
    }
    double seconds = records.stream().mapToDouble(EpochRecord::seconds).sum();
    return HistoricalReport.of(
        trainer.team(), settings, mine.historical(), records.size(), seconds);
  }

  private double edgesPerSecond() {
    return sampleSeconds == 0 ? 0 : edges / sampleSeconds;
  }

  /// Where the graph is: with dropped misses a rank has its own rows and no others.
  private String graph() {
    if (historical != null && historical.settings().onMiss() == OnMiss.DROP) {
      return "halo";
    }
    return settings.partitioned() ? "partitioned" : "replicated";
  }

  @Override
  public void put(ObjectNode node) {
    node.put("ranks", ranks);
    node.put("sampler", settings.sampler().name());
    ArrayNode fanout = node.putArray("fanout");
    settings.sampler().sizes().forEach(fanout::add);
    node.put("batch", settings.batchSize());
    node.put("bulk", settings.bulk());
    node.put("batches", Math.round(batches));
    node.put("batches_of_rank_least", Math.round(leastBatches));
    node.put("batches_of_rank_most", Math.round(mostBatches));
    if (made != null) {
      node.put("partition_method", made.method());
      node.put("partition_seconds", made.seconds());
    }
    node.put("step_batches", settings.stepBatches());
    node.put("graph", graph());
    node.put("replication", settings.replication());
    node.put("overlap", settings.overlaps());
    node.put("wire", Choice.name(settings.wire()));
    node.put("sample_seconds", sampleSeconds);
    node.put("sample_wait_seconds", sampleWaitSeconds);
    node.put("fetch_seconds", fetchSeconds);
    node.put("fetch_wait_seconds", fetchWaitSeconds);
    node.put("propagate_seconds", propagateSeconds);
    node.put("evaluate_seconds", evaluateSeconds);
    node.put("sampled_edges_per_second", edgesPerSecond());
    node.put("bytes_fetched_per_epoch", Math.round(fetchedBytes));
    node.put("cache_hit_rate", hitRate);
    node.put("own_batches", settings.ownBatches());
    node.put("remote", historical == null ? "fetch" : "historical");
    if (historical != null) {
      historical.put(node);
    }
  }

  @Override
  public void print(PrintWriter out) {
    String sizes =
        settings.sampler().sizes().stream()
            .map(size -> Integer.toString(size))
            .collect(Collectors.joining(","));
    out.printf(
        Locale.ROOT,
        "sampled  %s %s: %,d batches of %,d an epoch, %,d at a time; %,.0f edges a second%n",
        settings.sampler().name(),
        sizes,
        Math.round(batches),
        settings.batchSize(),
        settings.bulk(),
        edgesPerSecond());
    out.printf(
        Locale.ROOT,
        "seconds  sample %.4f (waited %.4f), fetch %.4f (waited %.4f), propagate %.4f; evaluate %.4f%n",
        sampleSeconds,
        sampleWaitSeconds,
        fetchSeconds,
        fetchWaitSeconds,
        propagateSeconds,
        evaluateSeconds);
    if (made != null) {
      out.printf(
          Locale.ROOT,
          "placed   by %s in %.2f s; a rank has %d to %d batches%n",
          made.method(),
          made.seconds(),
          Math.round(leastBatches),
          Math.round(mostBatches));
    }
    if (ranks > 1) {
      out.printf(
          Locale.ROOT,
          "fetched  %,d bytes of features an epoch in %s between %d ranks; the caches had %.1f %%%n",
          Math.round(fetchedBytes),
          Choice.name(settings.wire()),
          ranks,
          100 * hitRate);
    }
    if (historical != null) {
      historical.print(out);
    }
  }
}
