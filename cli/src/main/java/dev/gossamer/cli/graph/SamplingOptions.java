package dev.gossamer.cli.graph;

import dev.gossamer.TrainingMode;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.machine.MachineOptions;
import dev.gossamer.cli.terminal.ReadWith;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.GraphPlace;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.sampling.LayerSizes;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.SamplerKind;
import dev.gossamer.gnn.sampling.SamplerRequest;
import dev.gossamer.gnn.sampling.Samplers;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of minibatch training.
@ReadWith("--mode minibatch")
final class SamplingOptions {
  /// Whole graph or minibatches.
  enum Mode {
    AUTO,
    FULL_GRAPH,
    MINIBATCH
  }

  /// The names of samplers, for the help text.
  static final class SamplerNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Samplers.names().iterator();
    }
  }

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "auto",
      description =
          "full-graph (one step per epoch over all vertices), minibatch (sampled batches), or auto: the whole graph if"
              + " it fits in memory, else minibatches; under mpirun, auto needs --memory (default: ${DEFAULT-VALUE}).")
  Mode mode = Mode.AUTO;

  @Option(
      names = "--sampler",
      paramLabel = "KIND",
      description =
          "How minibatches are drawn: ${COMPLETION-CANDIDATES} (default: "
              + Samplers.DEFAULT_NAME
              + "; none, and only that, with models that do not look at neighbours). saint-node is for dense graphs and a"
              + " large --batch: between few independently drawn vertices there are hardly any edges.",
      completionCandidates = SamplerNames.class)
  @Nullable String sampler;

  @Option(
      names = "--fanout",
      paramLabel = "S",
      split = ",",
      description =
          "Neighbours per vertex, for samplers that draw neighbours: one number for all layers, or one for each, the"
              + " output layer first, as 15,10,5 (default: "
              + Samplers.DEFAULT_FANOUT
              + ").")
  @Nullable List<Integer> fanout;

  @Option(
      names = "--layer-sizes",
      paramLabel = "S",
      split = ",",
      description =
          "Vertices per batch and layer, for samplers that draw by layer, likewise (default: "
              + LayerSizes.PER_VERTEX
              + " for each vertex of the step in the last layer, growing linearly per layer; divided by sqrt(P) on P ranks;"
              + " at most "
              + LayerSizes.MOST
              + ").")
  @Nullable List<Integer> layerSizes;

  @Option(
      names = "--walk-length",
      paramLabel = "STEPS",
      description =
          "Steps of a walk, for samplers that draw walks (default: "
              + Samplers.DEFAULT_WALK_LENGTH
              + ").")
  @Nullable Integer walkLength;

  @Option(
      names = "--batch",
      paramLabel = "B",
      description =
          "Training vertices per step, or with --task links training edges, which the ranks divide; for subgraphs, the"
              + " vertices, edges or walks drawn per step, whose training vertices the ranks divide (default: "
              + Samplers.DEFAULT_BATCH_SIZE
              + ").")
  @Nullable Integer batch;

  @Option(
      names = "--batch-per-rank",
      description =
          "Let --batch count the training vertices or edges of each rank: more ranks make larger and fewer steps.")
  boolean batchPerRank;

  @Option(
      names = "--bulk",
      paramLabel = "K|auto",
      description =
          "Batches that each rank draws at a time; auto: 8, or two per thread if that is more, as far as they fit in"
              + " memory; with prefetching, at most 1/8 of an epoch. The result does not depend on it (default:"
              + " auto).")
  @Nullable String bulk;

  @Option(
      names = "--step-batches",
      paramLabel = "G",
      description =
          "Batches per step, a multiple of the ranks; their gradients are averaged (default: one per rank).")
  @Nullable Integer stepBatches;

  @Option(
      names = "--test-fanout",
      paramLabel = "S",
      split = ",",
      description = "Evaluate with this number of neighbours, as --fanout (default: with all).")
  @Nullable List<Integer> testFanout;

  @Option(
      names = "--graph",
      paramLabel = "WHERE",
      description =
          "replicated (each rank holds the graph) or partitioned (each holds a block of rows). The batches are the"
              + " same (default: replicated).")
  @Nullable GraphPlace graph;

  @Option(
      names = "--feature-cache",
      paramLabel = "BYTES",
      description =
          "Size of each rank's cache of the remote features that batches read most often, as 100m (default: 0).")
  @Nullable String featureCache;

  /// Returns the mode of the flags. Without minibatches, other flags are not read.
  TrainingMode mode(NetworkOptions network, RankOptions ranks, HistoricalOptions historical) {
    return switch (mode) {
      case FULL_GRAPH -> new TrainingMode.FullGraph();
      case MINIBATCH -> new TrainingMode.Minibatch(settings(network, ranks, historical));
      case AUTO ->
          new TrainingMode.Auto(
              new SamplingOptions().settings(network, ranks, new HistoricalOptions()));
    };
  }

  private SamplerKind kind(NetworkOptions network) {
    return Samplers.of(sampler == null ? network.usualSampler() : sampler);
  }

  private MinibatchSettings settings(
      NetworkOptions network, RankOptions ranks, HistoricalOptions historical) {
    int layers = network.layerCount();
    MinibatchSettings settings = MinibatchSettings.of(sampler(kind(network), layers));
    settings =
        batchPerRank ? settings.withBatchPerRank(batchSize()) : settings.withBatchSize(batchSize());
    settings = stepBatches == null ? settings : settings.withStepBatches(stepBatches);
    settings =
        bulk == null || bulk.equalsIgnoreCase("auto")
            ? settings.withAutomaticBulk()
            : settings.withBulk(parsedBulk());
    settings =
        settings
            .withOverlap(ranks.overlaps() ? Overlap.ON : Overlap.OFF)
            .withGraph(graph == null ? GraphPlace.REPLICATED : graph)
            .withReplication(ranks.replication())
            .withCacheBytes(
                featureCache == null ? 0 : MachineOptions.bytes("--feature-cache", featureCache))
            .withWire(ranks.wire)
            .withTestFanouts(testFanouts(layers));
    HistoricalSettings embeddings = historical.settings();
    return embeddings == null && !ranks.isPlaced() ? settings : settings.withOwnBatches(embeddings);
  }

  private Sampler sampler(SamplerKind kind, int layers) {
    SamplerRequest request =
        SamplerRequest.ofLayers(layers)
            .withBatchSize(batchSize())
            .with("fanouts", fanout)
            .with("layerSizes", layerSizes)
            .with("walkLength", walkLength == null ? null : List.of(walkLength));
    return kind.make(request);
  }

  private List<Integer> testFanouts(int layers) {
    return testFanout == null
        ? List.of()
        : SamplerRequest.ofLayers(layers)
            .with("testFanouts", testFanout)
            .perLayer("testFanouts", Samplers.DEFAULT_FANOUT);
  }

  private int batchSize() {
    return batch == null ? Samplers.DEFAULT_BATCH_SIZE : batch;
  }

  private int parsedBulk() {
    try {
      int batches = Integer.parseInt(String.valueOf(bulk));
      InvalidSettingException.requireAtLeast("bulk", batches, 1);
      return batches;
    } catch (NumberFormatException e) {
      throw new InvalidInputException("--bulk: expected a number or auto, found " + bulk, e);
    }
  }
}
