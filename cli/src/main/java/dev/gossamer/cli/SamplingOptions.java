package dev.gossamer.cli;

import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.io.InvalidInputException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of minibatch training. Without `--mode minibatch` none of the others may be given.
final class SamplingOptions {
  /// How an epoch goes through the graph.
  enum Mode {
    FULL_GRAPH,
    MINIBATCH
  }

  /// Samplers as a user names them.
  enum SamplerKind {
    SAGE,
    LADIES,
    FASTGCN,
    SAINT_NODE,
    SAINT_EDGE,
    SAINT_WALK
  }

  /// Where the rows of the graph are.
  enum GraphPlace {
    REPLICATED,
    PARTITIONED
  }

  private static final int FANOUT = 10;
  private static final int LAYER_SIZE = 512;
  private static final int BATCH = 512;
  private static final int WALK_LENGTH = 2;

  /// How often a vertex occurs, on average, in the subgraphs that are drawn to count (GraphSAINT,
  /// section 3.2).
  private static final long OCCURRENCES = 50;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "full-graph",
      description =
          "full-graph (one step an epoch over all vertices) or minibatch (sampled batches)"
              + " (default: ${DEFAULT-VALUE}).")
  Mode mode = Mode.FULL_GRAPH;

  @Option(
      names = "--sampler",
      paramLabel = "KIND",
      description =
          "How minibatches are drawn: sage, ladies, fastgcn, saint-node, saint-edge or saint-walk (default: sage).")
  @Nullable SamplerKind sampler;

  @Option(
      names = "--fanout",
      paramLabel = "S",
      split = ",",
      description =
          "Neighbours a vertex takes in each layer under sage: one number for all, or one for each from the outputs"
              + " on, as 15,10,5 (default: 10).")
  @Nullable List<Integer> fanout;

  @Option(
      names = "--layer-sizes",
      paramLabel = "S",
      split = ",",
      description =
          "Vertices a batch takes in each layer under ladies and fastgcn, likewise (default: 512).")
  @Nullable List<Integer> layerSizes;

  @Option(
      names = "--walk-length",
      paramLabel = "STEPS",
      description = "Steps of a walk under saint-walk (default: 2).")
  @Nullable Integer walkLength;

  @Option(
      names = "--batch",
      paramLabel = "B",
      description =
          "Training vertices of a batch; under saint-* the vertices, edges or walks drawn for it (default: 512).")
  @Nullable Integer batch;

  @Option(
      names = "--bulk",
      paramLabel = "K|auto",
      description =
          "Batches a rank draws at a time; auto takes what fits in memory. The result does not depend on it"
              + " (default: auto).")
  @Nullable String bulk;

  @Option(
      names = "--step-batches",
      paramLabel = "G",
      description =
          "Batches whose mean gradient makes a step, a multiple of the ranks (default: one a rank).")
  @Nullable Integer stepBatches;

  @Option(
      names = "--test-fanout",
      paramLabel = "S",
      split = ",",
      description = "Evaluate with so many neighbours, as --fanout (default: with all).")
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
          "Features of other ranks that each rank keeps, as 100m: those that batches want most often (default: 0).")
  @Nullable String featureCache;

  boolean isMinibatch() {
    return mode == Mode.MINIBATCH;
  }

  /// The normalisation that a network gets if its flags do not say, or null for the model's own:
  /// neighbours drawn by sage are averaged.
  @Nullable Normalisation usualNormalisation() {
    return isMinibatch() && kind() == SamplerKind.SAGE ? Normalisation.ROW_MEAN : null;
  }

  private SamplerKind kind() {
    return sampler == null ? SamplerKind.SAGE : sampler;
  }

  /// Whether batches are as large as memory allows.
  boolean choosesBulk() {
    return bulk == null || bulk.equals("auto");
  }

  /// What the flags say, with a bulk of 1 if it is chosen later.
  ///
  /// @throws InvalidInputException if flags do not go together
  MinibatchSettings settings(
      NetworkSettings network, RankOptions ranks, HistoricalOptions historical) {
    if (network.model() == NetworkSettings.Model.MLP) {
      throw new InvalidInputException(
          "--model: --mode minibatch samples neighbours; expected gcn, sage or gat, found mlp");
    }
    ranks.requireMinibatch();
    requireMean(network);
    int size = ranks.size();
    int perStep = stepBatches == null ? size : stepBatches;
    if (perStep < 1 || perStep % size != 0) {
      throw new InvalidInputException(
          "--step-batches: expected a multiple of the %d ranks, found %d".formatted(size, perStep));
    }
    HistoricalSettings embeddings = historical.settings();
    MinibatchSettings settings =
        new MinibatchSettings(
            sampler(network.layers(), 1),
            batch(),
            choosesBulk() ? 1 : parsedBulk(),
            perStep,
            graph == GraphPlace.PARTITIONED,
            ranks.strategy().replication(),
            featureCache == null ? 0 : MachineOptions.bytes("--feature-cache", featureCache),
            ranks.strategy().overlap(),
            ranks.wire,
            testFanout == null
                ? List.of()
                : ofLayers("--test-fanout", testFanout, network.layers(), FANOUT),
            false,
            null);
    if (embeddings == null && !ranks.isPlaced()) {
      return settings;
    }
    requireOwnBatches(settings, embeddings);
    // One rank has no others, whose vertices could be cached.
    return size == 1 ? settings : settings.withOwnBatches(embeddings);
  }

  /// Refuses what does not go with batches of a rank's own vertices, or with historical embeddings.
  private void requireOwnBatches(
      MinibatchSettings settings, @Nullable HistoricalSettings embeddings) {
    String why = embeddings == null ? "--placement" : "--remote historical";
    if (settings.replication() != 1) {
      throw new InvalidInputException(
          "--replication: %s has a block of vertices for each rank; expected 1, found %d"
              .formatted(why, settings.replication()));
    }
    if (settings.sampler().drawsSubgraphs()
        || (embeddings != null && !(settings.sampler() instanceof Sampler.Sage))) {
      throw new InvalidInputException(
          "--sampler: %s needs %s, found %s"
              .formatted(
                  why,
                  embeddings == null ? "sage, ladies or fastgcn" : "sage",
                  Choice.name(kind())));
    }
    if (embeddings != null && bulk != null) {
      throw new InvalidInputException(
          "--bulk: --remote historical draws each batch when it is its turn; leave it out");
    }
    if (embeddings != null && !settings.overlap()) {
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
            "%s: --remote historical --on-miss drop sees no rows of other ranks; leave it out or add --on-miss fetch"
                .formatted(String.join(", ", given)));
      }
    }
  }

  /// The settings for a data set: what of them depends on its size.
  MinibatchSettings settings(MinibatchSettings settings, NetworkSettings network, GraphData data) {
    boolean mean = kind() == SamplerKind.SAGE || testFanout != null;
    if (mean
        && network.model() != NetworkSettings.Model.SAGE
        && !network.seesEdges()
        && data.adjacency().values() != null) {
      throw new InvalidInputException(
          "%s: neighbours are drawn alike whatever their edges weigh; expected --model sage or gat, or a graph without weights"
              .formatted(data.name()));
    }
    return settings.withSampler(sampler(network.layers(), data.vertices()));
  }

  /// Sampled neighbours are averaged, so the network must take the mean, or weigh them itself.
  private void requireMean(NetworkSettings network) {
    if (network.normalisation() == Normalisation.ROW_MEAN || network.seesEdges()) {
      return;
    }
    if (kind() == SamplerKind.SAGE) {
      throw new InvalidInputException(
          "--sampler: sage takes the mean of what it draws; expected --normalisation row-mean, found "
              + Choice.name(network.normalisation()));
    }
    if (testFanout != null) {
      throw new InvalidInputException(
          "--test-fanout: takes the mean of what it draws; expected --normalisation row-mean, found "
              + Choice.name(network.normalisation()));
    }
  }

  private Sampler sampler(int layers, int vertices) {
    requireOnly("--fanout", fanout, kind() == SamplerKind.SAGE);
    boolean sized = kind() == SamplerKind.LADIES || kind() == SamplerKind.FASTGCN;
    requireOnly("--layer-sizes", layerSizes, sized);
    requireOnly("--walk-length", walkLength, kind() == SamplerKind.SAINT_WALK);
    return switch (kind()) {
      case SAGE -> new Sampler.Sage(ofLayers("--fanout", fanout, layers, FANOUT));
      case LADIES -> new Sampler.Ladies(ofLayers("--layer-sizes", layerSizes, layers, LAYER_SIZE));
      case FASTGCN ->
          new Sampler.FastGcn(ofLayers("--layer-sizes", layerSizes, layers, LAYER_SIZE));
      case SAINT_NODE -> Sampler.saintNode(layers, batch());
      case SAINT_EDGE -> Sampler.saintEdge(layers, batch());
      case SAINT_WALK -> {
        int length = walkLength == null ? WALK_LENGTH : walkLength;
        if (length < 1) {
          throw new InvalidInputException("--walk-length: expected at least 1, found " + length);
        }
        long visited = batch() * (length + 1L);
        int estimates = Math.toIntExact(Math.ceilDiv(OCCURRENCES * vertices, visited));
        yield Sampler.saintWalk(layers, batch(), length, estimates);
      }
    };
  }

  private void requireOnly(String flag, @Nullable Object value, boolean belongs) {
    if (value != null && !belongs) {
      throw new InvalidInputException(
          "%s: not a flag of --sampler %s; leave it out".formatted(flag, Choice.name(kind())));
    }
  }

  private static List<Integer> ofLayers(
      String flag, @Nullable List<Integer> given, int layers, int usual) {
    List<Integer> sizes = given == null ? List.of(usual) : given;
    if (sizes.size() != 1 && sizes.size() != layers) {
      throw new InvalidInputException(
          "%s: expected 1 or %d numbers for %d layers, found %d"
              .formatted(flag, layers, layers, sizes.size()));
    }
    for (int size : sizes) {
      if (size < 1) {
        throw new InvalidInputException("%s: expected at least 1, found %d".formatted(flag, size));
      }
    }
    return sizes.size() == 1 ? Collections.nCopies(layers, sizes.getFirst()) : sizes;
  }

  private int batch() {
    int size = batch == null ? BATCH : batch;
    if (size < 1) {
      throw new InvalidInputException("--batch: expected at least 1, found " + size);
    }
    return size;
  }

  private int parsedBulk() {
    try {
      return Integer.parseInt(String.valueOf(bulk));
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
    add(given, "--bulk", bulk);
    add(given, "--step-batches", stepBatches);
    add(given, "--test-fanout", testFanout);
    add(given, "--graph", graph);
    add(given, "--feature-cache", featureCache);
    if (!given.isEmpty()) {
      throw new InvalidInputException(
          "%s: a flag of --mode minibatch, found --mode full-graph; add --mode minibatch"
              .formatted(String.join(", ", given)));
    }
  }

  static void add(List<String> given, String flag, @Nullable Object value) {
    if (value != null) {
      given.add(flag);
    }
  }
}
