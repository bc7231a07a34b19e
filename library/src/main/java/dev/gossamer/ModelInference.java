package dev.gossamer;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.block.BlockStack;
import dev.gossamer.gnn.block.RankShare;
import dev.gossamer.gnn.inference.Inference;
import dev.gossamer.gnn.inference.InferencePlan;
import dev.gossamer.gnn.inference.LayerwiseInference;
import dev.gossamer.gnn.inference.SampledInference;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.SageSampler;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.dense.SoftmaxCrossEntropy;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.Kernels;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.GatheredRows;
import dev.gossamer.run.Scoring;
import dev.gossamer.run.memory.MemoryEstimate;
import java.lang.foreign.Arena;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// One prediction with a model on a graph: memory is found to fit, ranks start, and each computes
/// its vertices.
final class ModelInference {
  private final GraphModel model;
  private final GraphData data;
  private final InferenceSettings settings;
  private final InferencePlan plan;
  private final List<Integer> neighbours;

  /// @param arena shared, owner of scaled features; must outlive the inference
  /// @throws InvalidInputException if the features do not fit, or memory does not suffice
  ModelInference(Arena arena, GraphModel model, GraphData given, InferenceSettings settings) {
    this.model = model;
    this.settings = settings;
    ModelDescription description = model.description();
    int width = description.features().width();
    if (given.features() instanceof Features.None || given.features().width() != width) {
      throw new InvalidInputException(
          "%s: expected %d features per vertex, as the model was trained on, found %d"
              .formatted(given.name(), width, given.features().width()));
    }
    data =
        description.features().scaling() == FeatureScaling.ROW
            ? given.withNormalisedFeatures(arena)
            : given;
    plan = InferencePlan.of(data, description.network(), description.classes().size());
    neighbours = neighbours(description.network().layers());
    requireFits();
  }

  private List<Integer> neighbours(int layers) {
    List<Integer> given = settings.neighbours();
    if (given.isEmpty()) {
      return given;
    }
    requireMeans(model.description().network());
    if (given.size() == layers) {
      return given;
    }
    if (given.size() != 1) {
      throw new InvalidSettingException(
          "{neighbours}: expected 1 or %d numbers for %d layers, found %d"
              .formatted(layers, layers, given.size()));
    }
    return Collections.nCopies(layers, given.getFirst());
  }

  /// A mean over sampled neighbours estimates nothing but a mean.
  private static void requireMeans(NetworkSettings network) {
    LayerKind kind = network.kind();
    if (kind.sight() == LayerKind.Sight.NONE) {
      throw new InvalidSettingException(
          "{neighbours}: expected none for layers that do not look at neighbours (%s)"
              .formatted(kind.name()));
    }
    if (kind.sight() == LayerKind.Sight.ROWS && network.normalisation() != Normalisation.ROW_MEAN) {
      throw new InvalidSettingException(
          "{neighbours}: means of sampled neighbours need a model trained with row-mean, found %s;"
                  .formatted(network.normalisation())
              + " use all neighbours");
    }
  }

  private void requireFits() {
    RankSettings ranks = settings.ranks();
    MemoryEstimate estimate =
        plan.memory(ranks.size(), ranks.launch().ranksOfProcess(), threads(), neighbours);
    long limit = settings.machine().limit(ranks.launch().processesHere());
    if (estimate.bytes() > limit) {
      throw new InvalidSettingException(
          "{memory}: predicting needs %s but %s may be used; use more processes or more memory"
              .formatted(
                  MemoryEstimate.readable(estimate.bytes()), MemoryEstimate.readable(limit)));
    }
  }

  private int threads() {
    RankSettings ranks = settings.ranks();
    return Math.max(
        1,
        settings.machine().threads(ranks.launch().processesHere())
            / ranks.launch().ranksOfProcess());
  }

  /// What a rank does with its logits. Collective.
  @FunctionalInterface
  private interface Use<R> {
    /// @param probabilities one row for each vertex of the inference
    R of(RankShare share, Inference inference, DenseMatrix probabilities);
  }

  /// Runs all ranks, and gives what the first one of this process says.
  ///
  /// @param vertices that sampled inference computes, by the data set's numbers
  private <R> R onRanks(int[] vertices, Use<R> use) {
    AtomicReference<@Nullable R> result = new AtomicReference<>();
    settings
        .ranks()
        .launch()
        .run(world -> {
          R mine = onRank(world, vertices, use);
          if (world.rank() == 0 || settings.ranks().launch().underLauncher()) {
            result.set(mine);
          }
        });
    return Objects.requireNonNull(result.get());
  }

  private <R> R onRank(Communicator world, int[] vertices, Use<R> use) {
    Placement placement = Placement.block(data.vertices(), world.size());
    try (Workers workers = new Workers(threads());
        Arena arena = Arena.ofShared();
        RankShare share =
            new RankShare(
                arena,
                world,
                new PlacedGraph(data, placement),
                plan.settings(),
                RankShare.Division.DEFAULT,
                RankShare.Cache.NONE,
                workers)) {
      Kernels kernels = new Kernels(workers, settings.machine().matmul());
      DenseState state = new DenseState(arena, plan.network().layout());
      state.weights().copyFrom(model.weights());
      try (BlockStack blocks =
              new BlockStack(
                  plan.settings(), plan.network(), settings.seed(), kernels, share::datasetIds);
          Inference inference = inference(share, blocks, vertices, workers)) {
        DenseMatrix probabilities = inference.logits(state);
        SoftmaxCrossEntropy.softmax(probabilities, workers);
        return use.of(share, inference, probabilities);
      }
    }
  }

  private Inference inference(RankShare share, BlockStack blocks, int[] vertices, Workers workers) {
    if (neighbours.isEmpty()) {
      return new LayerwiseInference(
          share.arena(), share, plan.network(), blocks, plan.rowsAtATime(), workers);
    }
    BulkSampler sampler =
        new BulkSampler(
            new SageSampler(neighbours), share.adjacency(), new int[0], settings.seed(), workers);
    return new SampledInference(
        share.arena(), share, sampler, blocks, vertices, SampledInference.BATCH_SIZE, workers);
  }

  /// Scores on each part.
  Evaluation evaluate() {
    if (!data.info().classNames().equals(model.classes())) {
      throw new InvalidInputException(
          "%s: expected the classes that the model was trained on (%s), found %s"
              .formatted(data.name(), shown(model.classes()), shown(data.info().classNames())));
    }
    int[] labelled =
        IntStream.range(0, data.vertices())
            .filter(v -> List.of(Split.values()).stream().anyMatch(p -> data.isLabelled(v, p)))
            .toArray();
    if (labelled.length == 0) {
      throw new InvalidInputException(
          "%s: expected labelled vertices in the parts of a split, found none; draw a split"
              .formatted(data.name()));
    }
    return onRanks(labelled, this::scores);
  }

  private static String shown(List<String> names) {
    int most = 5;
    String first = String.join(", ", names.subList(0, Math.min(most, names.size())));
    return names.isEmpty()
        ? "none"
        : names.size() > most ? "%s and %d more".formatted(first, names.size() - most) : first;
  }

  private Evaluation scores(RankShare share, Inference inference, DenseMatrix probabilities) {
    int[] vertices = inference.vertices();
    int[] predictions = new int[vertices.length];
    int[] labels = share.labels(vertices);
    try (Workers one = new Workers(1)) {
      SoftmaxCrossEntropy.argmax(probabilities, predictions, one);
    }
    List<Evaluation.Scores> parts =
        List.of(Split.TRAIN, Split.VALIDATION, Split.TEST).stream()
            .map(part -> {
              int[] rows =
                  IntStream.range(0, vertices.length)
                      .filter(i -> share.isLabelled(vertices[i], part))
                      .toArray();
              return Scoring.scores(
                  probabilities,
                  predictions,
                  labels,
                  rows,
                  model.classes().size(),
                  inference.team());
            })
            .toList();
    return new Evaluation(parts.get(0), parts.get(1), parts.get(2));
  }

  /// The probabilities, and the last hidden layer, of every vertex.
  Predictions predict() {
    List<String> names = data.vertexNames();
    return onRanks(
        IntStream.range(0, data.vertices()).toArray(),
        (share, inference, probabilities) ->
            new Predictions(
                gathered(share, inference, probabilities),
                inference.hidden() == null ? null : gathered(share, inference, inference.hidden()),
                model.classes(),
                v -> names == null ? Integer.toString(v) : names.get(v)));
  }

  /// The rows of all ranks on the first, by the data set's numbers; elsewhere those of the rank.
  private DenseMatrix gathered(RankShare share, Inference inference, DenseMatrix rows) {
    int[] ids = share.datasetIds(inference.vertices());
    return GatheredRows.onFirst(share.grid().world(), ids, rows, data.vertices());
  }
}
