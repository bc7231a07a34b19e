package dev.gossamer;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
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
import dev.gossamer.gnn.sampling.blocks.SampledNeighbourhoods;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Softmax;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.ClassScoring;
import dev.gossamer.run.Confusion;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.GatheredRows;
import dev.gossamer.run.memory.MemoryEstimate;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Predicts with a model on a graph: checks that memory suffices and starts the ranks, each of
/// which computes its vertices.
final class ModelInference {
  /// What the system's allocator may keep of memory that is free again: it returns large pieces,
  /// and keeps up to this of small ones.
  private static final long KEPT_BYTES = 64L << 20;

  private final GraphModel model;
  private final GraphData data;
  private final InferenceSettings settings;
  private final InferencePlan plan;
  private final List<Integer> neighbours;

  /// The model's number of each class of the data set.
  private final int[] classes;

  /// @param arena shared, owner of scaled features; must outlive the inference
  /// @throws InvalidInputException if features or classes do not fit, or memory does not suffice
  ModelInference(Arena arena, GraphModel model, GraphData given, InferenceSettings settings) {
    this.model = model;
    this.settings = settings;
    ModelDescription description = model.description();
    description.features().requireSame(given);
    classes = classNumbers(given, description.classes());
    data = description.features().scaled(arena, given);
    plan = InferencePlan.of(data, description.network(), description.classes().size());
    neighbours = neighbours(description.network().layers());
  }

  /// The model's number of each class of a data set, in the order of the data set. Names tell which
  /// class is which; data without names take the model's order.
  private static int[] classNumbers(GraphData data, List<String> ofModel) {
    List<String> names = data.info().classNames();
    if (names.isEmpty() || names.equals(ofModel)) {
      return IntStream.range(0, ofModel.size()).toArray();
    }
    Map<String, Integer> numbers = new HashMap<>();
    ofModel.forEach(name -> numbers.put(name, numbers.size()));
    boolean distinct = numbers.size() == ofModel.size() && names.size() == ofModel.size();
    Set<String> found = new HashSet<>(names);
    if (!distinct || !numbers.keySet().equals(found)) {
      List<String> missing = ofModel.stream().filter(name -> !found.contains(name)).toList();
      List<String> unknown = names.stream().filter(name -> !numbers.containsKey(name)).toList();
      throw new InvalidInputException(
          "%s: expected the %d classes that the model was trained on (%s), found %d (%s); missing: %s; not known to the model: %s"
              .formatted(
                  data.name(),
                  ofModel.size(),
                  Dataset.shown(ofModel),
                  names.size(),
                  Dataset.shown(names),
                  Dataset.shown(missing),
                  Dataset.shown(unknown)));
    }
    return names.stream().mapToInt(numbers::get).toArray();
  }

  private List<Integer> neighbours(int layers) {
    List<Integer> given = settings.neighbours();
    if (given.isEmpty()) {
      return given;
    }
    LayerKind kind = model.description().network().kind();
    if (kind.sight() == LayerKind.Sight.NONE) {
      throw new InvalidSettingException(
          "{neighbours}: expected none for layers that do not look at neighbours (%s)"
              .formatted(kind.name()));
    }
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

  /// Returns the memory that evaluation needs.
  MemoryEstimate evaluationMemory() {
    RankSettings ranks = settings.ranks();
    return plan.memory(ranks.size(), ranks.launch().ranksOfProcess(), threads(), neighbours);
  }

  /// Returns the memory that prediction needs, including the results of all vertices on the first
  /// rank. Their output takes its memory when that of the layers is free again.
  MemoryEstimate predictionMemory() {
    GraphLayer last = plan.network().layers().getLast();
    long columns = (long) last.out() + (withEmbeddings() ? last.in() : 0);
    MemoryEstimate computing = evaluationMemory();
    long free = Math.max(0, computing.bytes(InferencePlan.LAYERS) - KEPT_BYTES);
    return computing
        .with("predictions", columns * data.vertices() * Float.BYTES)
        .with("output", Math.max(0, settings.outputBytes() - free));
  }

  private boolean withEmbeddings() {
    return settings.contents() == Predictions.Contents.EMBEDDINGS;
  }

  private void requireFits(MemoryEstimate estimate) {
    long limit = settings.machine().limit(settings.ranks().launch().processesHere());
    if (estimate.needed() > limit) {
      throw new InvalidSettingException(
          "{memory}: predicting needs %s but %s may be used; use more processes or more memory"
              .formatted(
                  MemoryEstimate.readable(estimate.needed()), MemoryEstimate.readable(limit)));
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
        DenseMatrix probabilities =
            inference.logits(state, world.rank() == 0 ? settings.progress() : Progress.SILENT);
        Softmax.softmax(probabilities, workers);
        return use.of(share, inference, probabilities);
      }
    }
  }

  private Inference inference(RankShare share, BlockStack blocks, int[] vertices, Workers workers) {
    if (neighbours.isEmpty()) {
      return new LayerwiseInference(share.arena(), share, plan, blocks, workers);
    }
    if (plan.sumsWeights()) {
      return new LayerwiseInference(
          share.arena(),
          share,
          new SampledNeighbourhoods(share.adjacency(), neighbours, settings.seed()),
          plan,
          blocks,
          workers);
    }
    BulkSampler sampler =
        new BulkSampler(
            new SageSampler(neighbours), share.adjacency(), new int[0], settings.seed(), workers);
    return new SampledInference(
        share.arena(), share, sampler, blocks, vertices, SampledInference.BATCH_SIZE, workers);
  }

  /// Returns scores for each part and class.
  ClassEvaluation evaluate() {
    if (!data.hasLabels()) {
      throw new InvalidInputException(
          "%s: expected labels to score the model on, found none; predicting needs none"
              .formatted(data.name()));
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
    requireFits(evaluationMemory());
    return onRanks(labelled, this::scores);
  }

  private ClassEvaluation scores(RankShare share, Inference inference, DenseMatrix probabilities) {
    int[] vertices = inference.vertices();
    int[] predictions = new int[vertices.length];
    int[] labels = Arrays.stream(share.labels(vertices)).map(c -> c < 0 ? c : classes[c]).toArray();
    try (Workers one = new Workers(1)) {
      Softmax.argmax(probabilities, predictions, one);
    }
    ClassScoring scoring = new ClassScoring(labels, model.classes().size(), inference.team());
    List<Evaluation.Scores> scores = new ArrayList<>();
    List<Confusion> counts = new ArrayList<>();
    for (Split part : List.of(Split.TRAIN, Split.VALIDATION, Split.TEST)) {
      int[] rows =
          IntStream.range(0, vertices.length)
              .filter(i -> share.isLabelled(vertices[i], part))
              .toArray();
      scores.add(scoring.scores(probabilities, predictions, rows));
      counts.add(scoring.confusion(predictions, rows));
    }
    return new ClassEvaluation(
        new Evaluation(scores.get(0), scores.get(1), scores.get(2)),
        model.classes(),
        counts.get(0),
        counts.get(1),
        counts.get(2));
  }

  /// Returns the probabilities, and the activations of the last hidden layer, of every vertex.
  Predictions predict() {
    List<String> names = data.vertexNames();
    boolean embeddings = withEmbeddings();
    requireFits(predictionMemory());
    return onRanks(
        IntStream.range(0, data.vertices()).toArray(),
        (share, inference, probabilities) ->
            new Predictions(
                inDataOrder(gathered(share, inference, probabilities)),
                embeddings ? gatheredHidden(share, inference) : null,
                Arrays.stream(classes).mapToObj(model.classes()::get).toList(),
                v -> names == null ? Integer.toString(v) : names.get(v)));
  }

  /// Puts the columns of the model's classes in the order that the data set has them in, in place.
  private DenseMatrix inDataOrder(DenseMatrix probabilities) {
    float[] row = new float[classes.length];
    for (long v = 0; v < probabilities.rows(); v++) {
      for (int c = 0; c < row.length; c++) {
        row[c] = probabilities.get(v, classes[c]);
      }
      for (int c = 0; c < row.length; c++) {
        probabilities.set(v, c, row[c]);
      }
    }
    return probabilities;
  }

  private @Nullable DenseMatrix gatheredHidden(RankShare share, Inference inference) {
    DenseMatrix hidden = inference.hidden();
    return hidden == null ? null : gathered(share, inference, hidden);
  }

  /// The rows of all ranks on the first, by the data set's numbers; elsewhere those of the rank.
  private DenseMatrix gathered(RankShare share, Inference inference, DenseMatrix rows) {
    int[] ids = share.datasetIds(inference.vertices());
    return GatheredRows.onFirst(share.grid().world(), ids, rows, data.vertices());
  }
}
