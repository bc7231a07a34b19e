package dev.gossamer.cli;

import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.GraphPlace;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.sampling.LayerSizes;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.SamplerKind;
import dev.gossamer.gnn.sampling.SamplerRequest;
import dev.gossamer.gnn.sampling.Samplers;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.io.InvalidSettingException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of minibatch training. Without `--mode minibatch` none of the others may be given.
final class SamplingOptions {
  /// How an epoch goes through the graph.
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
          "full-graph (one step per epoch over all vertices), minibatch (sampled batches), or auto: the whole graph"
              + " if it fits in memory, else minibatches; under mpirun that needs --memory (default: ${DEFAULT-VALUE}).")
  Mode mode = Mode.AUTO;

  @Option(
      names = "--sampler",
      paramLabel = "KIND",
      description =
          "How minibatches are drawn: ${COMPLETION-CANDIDATES} (default: "
              + Samplers.DEFAULT_NAME
              + "). saint-node is for dense graphs and a --batch of many vertices: between few that are drawn one by"
              + " one there are hardly any edges.",
      completionCandidates = SamplerNames.class)
  @Nullable String sampler;

  @Option(
      names = "--fanout",
      paramLabel = "S",
      split = ",",
      description =
          "Neighbours that each vertex takes, of a sampler that draws neighbours: one number for all layers, or one"
              + " for each from the outputs on, as 15,10,5 (default: "
              + Samplers.DEFAULT_FANOUT
              + ").")
  @Nullable List<Integer> fanout;

  @Option(
      names = "--layer-sizes",
      paramLabel = "S",
      split = ",",
      description =
          "Vertices that each batch takes in a layer, of a sampler that draws them by layer, likewise (default: "
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
          "Steps of a walk, of a sampler that draws walks (default: "
              + Samplers.DEFAULT_WALK_LENGTH
              + ").")
  @Nullable Integer walkLength;

  @Option(
      names = "--batch",
      paramLabel = "B",
      description =
          "Training vertices of a step, which the ranks divide among them; of subgraphs, the vertices, edges or"
              + " walks drawn for one, whose training vertices the ranks divide (default: "
              + Samplers.DEFAULT_BATCH_SIZE
              + ").")
  @Nullable Integer batch;

  @Option(
      names = "--batch-per-rank",
      description =
          "Let --batch count what each rank takes for a step: the more ranks, the larger and fewer the steps.")
  boolean batchPerRank;

  @Option(
      names = "--bulk",
      paramLabel = "K|auto",
      description =
          "Batches that each rank draws at a time; auto takes 8, or two for each thread, if they fit in memory, and an"
              + " eighth of an epoch at most if they are drawn ahead, as the first bulk is not. The result does not depend on it"
              + " (default: auto).")
  @Nullable String bulk;

  @Option(
      names = "--step-batches",
      paramLabel = "G",
      description =
          "Batches that a step is divided into, a multiple of the ranks; their mean gradient makes the step"
              + " (default: one per rank).")
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
          "Remote features that each rank keeps, as 100m: those that batches want most often (default: 0).")
  @Nullable String featureCache;

  boolean isMinibatch() {
    return mode == Mode.MINIBATCH;
  }

  /// Takes what was chosen, so that the run's settings say it.
  void choose(MinibatchSettings settings) {
    mode = Mode.MINIBATCH;
    batch = settings.batchSize();
  }

  private SamplerKind kind() {
    return Samplers.of(sampler == null ? Samplers.DEFAULT_NAME : sampler);
  }

  /// Whether batches are as large as memory allows.
  boolean choosesBulk() {
    return bulk == null || bulk.equalsIgnoreCase("auto");
  }

  /// What the flags say.
  ///
  /// @param layers of the network
  /// @throws InvalidInputException if flags do not go together
  MinibatchSettings settings(int layers, RankOptions ranks, HistoricalOptions historical) {
    ranks.requireMinibatch();
    int size = ranks.size();
    HistoricalSettings embeddings = historical.settings();
    MinibatchSettings sized = MinibatchSettings.of(sampler(layers));
    MinibatchSettings drawn =
        (batchPerRank ? sized.withBatchPerRank(batchSize()) : sized.withBatchSize(batchSize()))
            .withStepBatches(stepBatches == null ? size : stepBatches)
            .withOverlap(ranks.overlaps() ? Overlap.ON : Overlap.OFF)
            .withGraph(graph == null ? GraphPlace.REPLICATED : graph)
            .withReplication(ranks.replication())
            .withCacheBytes(
                featureCache == null ? 0 : MachineOptions.bytes("--feature-cache", featureCache))
            .withWire(ranks.wire)
            .withTestFanouts(testFanouts(layers));
    MinibatchSettings settings =
        choosesBulk() ? drawn.withAutomaticBulk() : drawn.withBulk(parsedBulk());
    if (embeddings == null && !ranks.isPlaced()) {
      return settings;
    }
    requireOwnBatches(settings, embeddings);
    MinibatchSettings own = settings.withOwnBatches(embeddings);
    // One rank has no others, whose vertices could be cached.
    return size == 1 ? settings : own;
  }

  /// Refuses what does not go with batches of a rank's own vertices, or with historical embeddings.
  private void requireOwnBatches(
      MinibatchSettings settings, @Nullable HistoricalSettings embeddings) {
    if (embeddings == null && settings.sampler().drawsSubgraphs()) {
      throw new InvalidInputException(
          "--sampler: --placement needs sage, ladies or fastgcn, or --remote historical; found "
              + settings.sampler().name());
    }
    if (embeddings != null && bulk != null) {
      throw new InvalidInputException(
          "--bulk: --remote historical draws each batch when it is its turn; leave it out");
    }
    if (embeddings != null && !settings.overlaps()) {
      throw new InvalidInputException(
          "--overlap: --remote historical always computes while rows travel; expected on, found off");
    }
    if (embeddings != null && embeddings.onMiss() == OnMiss.DROP) {
      List<String> given = new ArrayList<>();
      add(given, "--feature-cache", featureCache);
      add(given, "--graph", graph);
      add(given, "--test-fanout", testFanout);
      if (!given.isEmpty()) {
        throw new InvalidInputException(
            "%s: --remote historical --on-miss drop sees no remote rows; leave it out or add --on-miss fetch"
                .formatted(String.join(", ", given)));
      }
    }
  }

  private Sampler sampler(int layers) {
    SamplerRequest request =
        SamplerRequest.ofLayers(layers)
            .withBatchSize(batchSize())
            .with("fanouts", fanout)
            .with("layerSizes", layerSizes)
            .with("walkLength", walkLength == null ? null : List.of(walkLength));
    return kind().make(request);
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

  /// @throws InvalidInputException if a flag of minibatches is given in another mode
  void requireNone() {
    List<String> given = new ArrayList<>();
    add(given, "--sampler", sampler);
    add(given, "--fanout", fanout);
    add(given, "--layer-sizes", layerSizes);
    add(given, "--walk-length", walkLength);
    add(given, "--batch", batch);
    add(given, "--batch-per-rank", batchPerRank ? true : null);
    add(given, "--bulk", bulk);
    add(given, "--step-batches", stepBatches);
    add(given, "--test-fanout", testFanout);
    add(given, "--graph", graph);
    add(given, "--feature-cache", featureCache);
    if (!given.isEmpty()) {
      throw new InvalidInputException(
          "%s: a flag of --mode minibatch, found --mode %s; add --mode minibatch"
              .formatted(String.join(", ", given), Choice.name(mode)));
    }
  }

  static void add(List<String> given, String flag, @Nullable Object value) {
    if (value != null) {
      given.add(flag);
    }
  }
}
