package dev.gossamer.cli.graph;

import dev.gossamer.GraphPartitioning;
import dev.gossamer.TrainingFacts;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.BatchOwner;
import dev.gossamer.gnn.minibatch.MinibatchSettings.BatchScope;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.SamplingSeconds;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Prints measurements of minibatches per epoch, over all ranks.
///
/// @param made the partition of the vertices; null if none was made
record MinibatchReport(TrainingFacts.Sampled facts, GraphPartitioning.@Nullable Result made)
    implements FactsReport {
  private MinibatchSettings settings() {
    return facts.settings();
  }

  /// As ranks draw their batches.
  private Sampler sampler() {
    return settings().sampler(facts.ranks());
  }

  private double edgesPerSecond() {
    double seconds = facts.seconds().sample();
    return seconds == 0 ? 0 : facts.edges() / seconds;
  }

  private static double percent(double part, double all) {
    return all == 0 ? 0 : 100 * part / all;
  }

  /// Where the graph is.
  private String graph() {
    if (settings().samplesOwnRowsOnly()) {
      return "halo";
    }
    return settings().partitioned() ? "partitioned" : "replicated";
  }

  @Override
  public void put(ObjectNode node) {
    MinibatchSettings settings = settings();
    node.put("ranks", facts.ranks());
    node.put("sampler", settings.sampler().name());
    ArrayNode fanout = node.putArray("fanout");
    sampler().sizes().forEach(fanout::add);
    node.put("batch", settings.batchSize());
    node.put("bulk", settings.bulk());
    node.put("batch_per_rank", settings.batching().step().scope() == BatchScope.RANK);
    node.put("steps", facts.batches().steps());
    node.put("batches", Math.round(facts.batches().all()));
    node.put("batches_of_rank_least", Math.round(facts.batches().least()));
    node.put("batches_of_rank_most", Math.round(facts.batches().most()));
    if (made != null) {
      node.put("partition_method", made.method());
      node.put("partition_seconds", made.seconds());
    }
    node.put("step_batches", settings.batching().stepBatches());
    node.put("graph", graph());
    node.put("replication", settings.replication());
    node.put("overlap", settings.overlaps());
    node.put("wire", Choice.name(settings.wire()));
    TrainingFacts.Seconds seconds = facts.seconds();
    node.put("sample_seconds", seconds.sample());
    node.put("sample_wait_seconds", seconds.sampleWait());
    node.put("fetch_seconds", seconds.fetch());
    node.put("fetch_wait_seconds", seconds.fetchWait());
    node.put("propagate_seconds", seconds.propagate());
    node.put("evaluate_seconds", seconds.evaluate());
    SamplingSeconds drawing = facts.drawing();
    node.put("sample_probability_seconds", drawing.probability());
    node.put("sample_sampling_seconds", drawing.sampling());
    node.put("sample_extraction_seconds", drawing.extraction());
    node.put("sample_communication_seconds", drawing.communication());
    node.put("sampled_edges_per_second", edgesPerSecond());
    node.put("graph_bytes_fetched_per_epoch", Math.round(facts.graphBytes()));
    node.put("bytes_fetched_per_epoch", Math.round(facts.fetched().bytes()));
    node.put("cache_hit_rate", facts.fetched().hitRate());
    node.put("own_batches", settings.distribution().owner() == BatchOwner.OWN);
    node.put("remote", facts.historical() == null ? "fetch" : "historical");
    if (facts.historical() != null) {
      new HistoricalReport(facts.historical()).put(node);
    }
  }

  @Override
  public void print(PrintWriter out) {
    Sampler sampler = sampler();
    String sizes =
        sampler.sizes().stream()
            .map(size -> Integer.toString(size))
            .collect(Collectors.joining(","));
    out.printf(
        Locale.ROOT,
        "sampled  %s%s: %,d steps of %,d per epoch, bulk %,d; %,.0f edges per second%n",
        sampler.name(),
        sizes.isEmpty() ? "" : " " + sizes,
        facts.batches().steps(),
        settings().stepSize(facts.ranks()),
        settings().bulk(),
        edgesPerSecond());
    TrainingFacts.Seconds seconds = facts.seconds();
    out.printf(
        Locale.ROOT,
        "seconds  sample %.4f (waited %.4f), fetch %.4f (waited %.4f), propagate %.4f; evaluate %.4f%n",
        seconds.sample(),
        seconds.sampleWait(),
        seconds.fetch(),
        seconds.fetchWait(),
        seconds.propagate(),
        seconds.evaluate());
    SamplingSeconds drawing = facts.drawing();
    double drawn =
        drawing.probability() + drawing.sampling() + drawing.extraction() + drawing.communication();
    out.printf(
        Locale.ROOT,
        "drawing  probabilities %.0f %%, sampling %.0f %%, extraction %.0f %%, communication %.0f %%%s%n",
        percent(drawing.probability(), drawn),
        percent(drawing.sampling(), drawn),
        percent(drawing.extraction(), drawn),
        percent(drawing.communication(), drawn),
        settings().partitioned() && facts.ranks() > 1
            ? String.format(
                Locale.ROOT, "; %,d bytes of the graph per epoch", Math.round(facts.graphBytes()))
            : "");
    if (made != null) {
      out.printf(
          Locale.ROOT,
          "placed   by %s in %.2f s; a rank has %d to %d batches%n",
          made.method(),
          made.seconds(),
          Math.round(facts.batches().least()),
          Math.round(facts.batches().most()));
    }
    if (facts.ranks() > 1) {
      out.printf(
          Locale.ROOT,
          "fetched  %,d bytes of features per epoch %s between %d ranks; the caches had %.1f %%%n",
          Math.round(facts.fetched().bytes()),
          facts.fetched().dense() ? "in " + Choice.name(settings().wire()) : "as stored",
          facts.ranks(),
          100 * facts.fetched().hitRate());
    }
    if (facts.historical() != null) {
      new HistoricalReport(facts.historical()).print(out);
    }
  }
}
