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
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.link.NeighbourGraph;
import dev.gossamer.gnn.link.PairNetwork;
import dev.gossamer.gnn.link.PairScoring;
import dev.gossamer.gnn.link.RankLinks;
import dev.gossamer.gnn.objective.LinkObjective;
import dev.gossamer.gnn.objective.Objective;
import dev.gossamer.gnn.objective.ScoredRows;
import dev.gossamer.gnn.objective.TargetObjective;
import dev.gossamer.gnn.objective.VertexObjective;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.SageSampler;
import dev.gossamer.gnn.sampling.blocks.SampledNeighbourhoods;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.TopProducts;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.GatheredRows;
import dev.gossamer.run.LabelCounts;
import dev.gossamer.run.LabelScoring;
import dev.gossamer.run.NumberScoring;
import dev.gossamer.run.memory.MemoryEstimate;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Predicts with a model on a graph: checks that memory suffices and starts the ranks, each of
/// which computes its vertices.
final class ModelInference {
  /// What the system's allocator may keep of memory that is free again: it returns large pieces,
  /// and keeps up to this of small ones.
  private static final long KEPT_BYTES = 64L << 20;

  /// Bytes of a recommended vertex, with its name.
  private static final int ITEM_BYTES = 96;

  /// Bytes of a scored pair: its vertices and type, by two numberings, its place and its score.
  private static final int PAIR_BYTES = 4 * Integer.BYTES + Long.BYTES + Float.BYTES;

  private final GraphModel model;
  private final GraphData data;
  private final InferenceSettings settings;
  private final InferencePlan plan;
  private final List<Integer> neighbours;

  /// What the outputs stand for.
  private final ModelOutputs outputs;

  /// What the outputs are trained for; null of edges, where none are held out.
  private final @Nullable Objective objective;

  /// The model's number of each class, label or number of the data set.
  private final int[] classes;

  /// @param arena shared, owner of scaled features; must outlive the inference
  /// @throws InvalidInputException if features or classes do not fit, or memory does not suffice
  ModelInference(Arena arena, GraphModel model, GraphData given, InferenceSettings settings) {
    this.model = model;
    this.settings = settings;
    ModelDescription description = model.description();
    description.features().requireSame(given);
    description.requireSameEdges(given);
    outputs = description.outputs();
    boolean none = outputs.task() == Task.LINKS && given.links() == null;
    objective = none ? null : outputs.objective(given);
    classes = numbers(given, outputs);
    data = inModelOrder(arena, description.features().scaled(arena, given));
    GraphData seen = description.network().kind().seen(arena, data);
    plan = InferencePlan.of(seen, description.network().on(seen), outputs.names().size());
    neighbours = neighbours(description.network().layers());
  }

  /// The model's number of each class, label or number of a data set, in the order of the data set.
  /// Names tell which is which; data without names take the model's order, and so do data for
  /// another task, of which nothing is compared.
  private static int[] numbers(GraphData data, ModelOutputs outputs) {
    List<String> ofModel = outputs.names();
    List<String> names = data.task() == outputs.task() ? data.outputNames() : List.of();
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
          "%s: expected the %d %s that the model was trained on (%s), found %d (%s); missing: %s; not known to the model: %s"
              .formatted(
                  data.name(),
                  ofModel.size(),
                  switch (outputs.task()) {
                    case CLASSIFICATION -> "classes";
                    case MULTI_LABEL -> "labels";
                    case REGRESSION -> "numbers";
                    case LINKS -> "columns";
                  },
                  Dataset.shown(ofModel),
                  names.size(),
                  Dataset.shown(names),
                  Dataset.shown(missing),
                  Dataset.shown(unknown)));
    }
    return names.stream().mapToInt(numbers::get).toArray();
  }

  /// The data set with what is true in the order of the model's outputs.
  ///
  /// @param arena owner of a copy
  private GraphData inModelOrder(Arena arena, GraphData given) {
    boolean same = IntStream.range(0, classes.length).allMatch(c -> classes[c] == c);
    if (same || given.task() != outputs.task()) {
      return given;
    }
    Targets targets = given.targets();
    if (targets == null) {
      return given.withLabels(
          Arrays.stream(given.labels()).map(c -> c < 0 ? c : classes[c]).toArray());
    }
    DenseMatrix values = DenseMatrix.allocate(arena, given.vertices(), classes.length);
    for (int v = 0; v < given.vertices(); v++) {
      for (int c = 0; c < classes.length; c++) {
        values.set(v, classes[c], targets.values().get(v, c));
      }
    }
    return given.withTargets(new Targets(outputs.task(), values, outputs.names()));
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
    /// @param logits one row for each vertex of the inference
    R of(RankShare share, Inference inference, DenseMatrix logits);
  }

  /// A parameter of the model by its name. Borrowed.
  private DenseMatrix parameter(String name) {
    return plan.network().layout().entry(name).matrix(model.weights());
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
    Matmul matmul = settings.machine().matmul();
    try (Workers workers = new Workers(threads());
        Arena arena = Arena.ofShared();
        RankShare share =
            new RankShare(
                arena,
                world,
                new PlacedGraph(plan.data(), placement),
                plan.settings(),
                RankShare.Division.DEFAULT,
                RankShare.Cache.NONE,
                new Kernels(workers, matmul))) {
      Kernels kernels = new Kernels(workers, matmul);
      DenseState state = new DenseState(arena, plan.network().layout());
      state.weights().copyFrom(model.weights());
      try (BlockStack blocks =
              new BlockStack(
                  plan.data(),
                  plan.settings(),
                  plan.network(),
                  settings.seed(),
                  kernels,
                  share::datasetIds);
          Inference inference = inference(share, blocks, vertices, workers)) {
        return use.of(
            share,
            inference,
            inference.logits(state, world.rank() == 0 ? settings.progress() : Progress.SILENT));
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

  /// Returns scores for each part.
  Evaluation evaluate() {
    return onRanks(scored(), this::scores);
  }

  /// Returns scores for each part and label.
  LabelEvaluation evaluateLabels() {
    requireTask(Task.MULTI_LABEL, "several labels");
    return onRanks(scored(), this::labelScores);
  }

  /// Returns scores for each part and number.
  NumberEvaluation evaluateNumbers() {
    requireTask(Task.REGRESSION, "numbers");
    return onRanks(scored(), this::numberScores);
  }

  /// Returns scores for each part of the edges, and those of heuristics.
  LinkEvaluation evaluateLinks() {
    requireTask(Task.LINKS, "edges");
    int[] vertices = scored();
    requireFits(linkEvaluationMemory());
    try (Arena arena = Arena.ofShared()) {
      NeighbourGraph graph = NeighbourGraph.of(arena, data);
      return onRanks(
          vertices, (share, inference, logits) -> linkScores(graph, share, inference, logits));
    }
  }

  /// Returns the memory that scoring by heuristics, too, needs.
  MemoryEstimate linkEvaluationMemory() {
    int processThreads = settings.ranks().launch().ranksOfProcess() * threads();
    return evaluationMemory().with("neighbours", NeighbourGraph.bytes(data, processThreads));
  }

  private void requireTask(Task task, String what) {
    if (outputs.task() != task) {
      throw new InvalidInputException(
          "%s: expected a model that predicts %s, found one for %s"
              .formatted(data.name(), what, InvalidSettingException.nameOf(outputs.task())));
    }
  }

  /// Returns scores for each part and class.
  ClassEvaluation evaluateClasses() {
    requireTask(Task.CLASSIFICATION, "classes");
    return onRanks(scored(), this::classScores);
  }

  /// The vertices to score.
  private int[] scored() {
    if (!data.hasTruth() || data.task() != outputs.task()) {
      throw new InvalidInputException(
          "%s: expected %s to score the model on, found %s; predicting needs none"
              .formatted(
                  data.name(),
                  switch (outputs.task()) {
                    case CLASSIFICATION -> "labels";
                    case MULTI_LABEL -> "several labels of each vertex";
                    case REGRESSION -> "numbers";
                    case LINKS -> "edges that are held out";
                  },
                  data.hasTruth()
                      ? "the task " + InvalidSettingException.nameOf(data.task())
                      : "none"));
    }
    if (outputs.task() == Task.LINKS) {
      requireAll();
      requireFits(evaluationMemory());
      return IntStream.range(0, data.vertices()).toArray();
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
    return labelled;
  }

  /// Refuses to score edges by some of the vertices.
  private void requireAll() {
    if (!neighbours.isEmpty()) {
      throw new InvalidSettingException(
          "{neighbours}: edges are scored by the outputs of all vertices over all neighbours; leave it out");
    }
  }

  private Evaluation scores(RankShare share, Inference inference, DenseMatrix logits) {
    int[] vertices = inference.vertices();
    try (Workers one = new Workers(1)) {
      return switch (Objects.requireNonNull(objective)) {
        case VertexObjective ofVertices ->
            ofVertices
                .truth(data, share.datasetIds(vertices))
                .evaluate(logits, scoredRows(share, vertices), inference.team(), one);
        case LinkObjective links ->
            rankLinks(links, share, inference, one).evaluate(logits, this::parameter);
      };
    }
  }

  private RankLinks rankLinks(
      LinkObjective links, RankShare share, Inference inference, Workers workers) {
    return new RankLinks(
        links.comparison(),
        plan.settings().decoder(),
        settings.seed(),
        share.grid().processColumn(),
        share.placement(),
        inference.team(),
        new Kernels(workers, settings.machine().matmul()));
  }

  private LinkEvaluation linkScores(
      NeighbourGraph graph, RankShare share, Inference inference, DenseMatrix logits) {
    LinkObjective links = (LinkObjective) Objects.requireNonNull(objective);
    try (Workers workers = new Workers(threads())) {
      RankLinks ranked = rankLinks(links, share, inference, workers);
      return new LinkEvaluation(
          ranked.evaluate(logits, this::parameter), ranked.rankByHeuristics(graph));
    }
  }

  private static ScoredRows scoredRows(RankShare share, int[] vertices) {
    return ScoredRows.of(vertices.length, (row, part) -> share.isLabelled(vertices[row], part));
  }

  private LabelEvaluation labelScores(RankShare share, Inference inference, DenseMatrix logits) {
    Evaluation scores = scores(share, inference, logits);
    TargetRows truth = targetRows(share, inference);
    ScoredRows rows = scoredRows(share, inference.vertices());
    UnaryOperator<double[]> sum = inference.team()::sum;
    try (Workers one = new Workers(1)) {
      return new LabelEvaluation(
          scores,
          outputs.names(),
          LabelCounts.of(logits, truth, rows.train()).summed(sum),
          LabelCounts.of(logits, truth, rows.validation()).summed(sum),
          LabelCounts.of(logits, truth, rows.test()).summed(sum),
          new LabelScoring(truth, inference.team(), one).areas(logits, last(scores, rows)));
    }
  }

  private NumberEvaluation numberScores(RankShare share, Inference inference, DenseMatrix logits) {
    Evaluation scores = scores(share, inference, logits);
    TargetObjective numbers = (TargetObjective) Objects.requireNonNull(objective);
    ScoredRows rows = scoredRows(share, inference.vertices());
    return new NumberEvaluation(
        scores,
        outputs.names(),
        new NumberScoring(
                targetRows(share, inference), numbers.units().deviations(), inference.team())
            .ofColumns(logits, last(scores, rows)));
  }

  /// What is true of the vertices of an inference.
  private TargetRows targetRows(RankShare share, Inference inference) {
    Targets targets = Objects.requireNonNull(data.targets(), "targets");
    return new TargetRows(targets.values(), share.datasetIds(inference.vertices()));
  }

  /// The rows of the last part with vertices.
  private static int[] last(Evaluation scores, ScoredRows rows) {
    return ScoredParts.of(ScoredParts.last(scores), rows.train(), rows.validation(), rows.test());
  }

  private ClassEvaluation classScores(RankShare share, Inference inference, DenseMatrix logits) {
    int[] vertices = inference.vertices();
    ScoredRows rows = scoredRows(share, vertices);
    LabelledLogits labelled = new LabelledLogits(logits, labels(share, vertices), inference.team());
    Calibration.Quality train = labelled.quality(outputs.decision(), rows.train());
    Calibration.Quality validation = labelled.quality(outputs.decision(), rows.validation());
    Calibration.Quality test = labelled.quality(outputs.decision(), rows.test());
    Calibration.Quality last =
        Stream.of(test, validation)
            .filter(part -> part.counts().count() > 0)
            .findFirst()
            .orElse(train);
    // Scores overwrite the logits.
    Evaluation scores = scores(share, inference, logits);
    return new ClassEvaluation(
        scores,
        outputs.names(),
        train.counts(),
        validation.counts(),
        test.counts(),
        last.reliability());
  }

  private int[] labels(RankShare share, int[] vertices) {
    return Arrays.stream(share.datasetIds(vertices)).map(v -> data.labels()[v]).toArray();
  }

  /// Returns the model with a decision that fits the validation vertices.
  Calibration calibrate(CalibrationSettings wanted) {
    requireTask(Task.CLASSIFICATION, "classes");
    int[] vertices = scored();
    requireFittable(wanted.threshold());
    return onRanks(
        vertices,
        (share, inference, logits) -> {
          int[] mine = inference.vertices();
          return Calibration.of(
              model,
              data.name(),
              new LabelledLogits(logits, labels(share, mine), inference.team()),
              scoredRows(share, mine),
              wanted);
        });
  }

  /// Refuses before anything is computed what the labels do not allow.
  private void requireFittable(CalibrationSettings.Threshold threshold) {
    int[] validation =
        IntStream.range(0, data.vertices())
            .filter(v -> data.isLabelled(v, Split.VALIDATION))
            .map(v -> data.labels()[v])
            .toArray();
    if (validation.length == 0) {
      throw new InvalidInputException(
          "%s: expected labelled validation vertices to fit probabilities to, found none; draw a split with some"
              .formatted(data.name()));
    }
    if (threshold instanceof CalibrationSettings.Threshold.Likeliest) {
      return;
    }
    if (outputs.names().size() != 2) {
      throw new InvalidSettingException(
          "{threshold}: expected a model of two classes, found one of %d; leave it out"
              .formatted(outputs.names().size()));
    }
    if (!(threshold instanceof CalibrationSettings.Threshold.Fixed)
        && Arrays.stream(validation).noneMatch(c -> c == 1)) {
      throw new InvalidInputException(
          "%s: expected validation vertices of class '%s' to choose its threshold, found none; give a number"
              .formatted(data.name(), outputs.names().getLast()));
    }
  }

  /// Returns the probabilities, and the activations of the last hidden layer, of every vertex.
  Predictions predict() {
    boolean embeddings = withEmbeddings();
    requireFits(predictionMemory());
    return onRanks(
        IntStream.range(0, data.vertices()).toArray(),
        (share, inference, logits) -> {
          predict(logits);
          return new Predictions(
              outputs.task(),
              inDataOrder(gathered(share, inference, logits)),
              embeddings ? gatheredHidden(share, inference) : null,
              Arrays.stream(classes).mapToObj(outputs.names()::get).toList(),
              vertexNames(),
              threshold());
        });
  }

  /// In the order of the data set.
  private Predictions.@Nullable Threshold threshold() {
    Double least = outputs.decision().threshold();
    return least == null ? null : new Predictions.Threshold(classes[0] == 1 ? 0 : 1, least);
  }

  /// The user's own names of vertices, or their numbers.
  private IntFunction<String> vertexNames() {
    List<String> names = data.vertexNames();
    return names == null ? Integer::toString : names::get;
  }

  /// Returns recommendations for some vertices; none stands for all.
  ///
  /// @param edges name of the type of edges; null for all
  Recommendations recommend(int[] vertices, int top, @Nullable String edges) {
    requireTask(Task.LINKS, "edges");
    int type = edgeType(edges);
    int[] chosen = vertices.length == 0 ? IntStream.range(0, data.vertices()).toArray() : vertices;
    VertexPairs.requireVertices(chosen, "vertices", data.vertices(), data.name());
    requireFits(recommendationMemory(chosen.length, top));
    return onRanks(
        IntStream.range(0, data.vertices()).toArray(),
        (share, inference, logits) -> {
          DenseMatrix vectors = gathered(share, inference, logits);
          int[] mine = share.rank() == 0 ? chosen : new int[0];
          Recommendations.Wanted wanted = new Recommendations.Wanted(data, mine, type, top);
          try (Workers workers = new Workers(threads())) {
            Kernels kernels = new Kernels(workers, settings.machine().matmul());
            return recommend(vectors, wanted, share.arena(), kernels);
          }
        });
  }

  private Recommendations recommend(
      DenseMatrix vectors, Recommendations.Wanted wanted, Arena arena, Kernels kernels) {
    int type = Math.max(0, wanted.type());
    if (plan.settings().decoder().kind() == LinkDecoder.Kind.MLP) {
      try (PairNetwork layers = new PairNetwork(type, vectors, this::parameter, kernels)) {
        return Recommendations.of(
            layers.with(wanted.vertices()), wanted, vertexNames(), kernels.workers());
      }
    }
    TopProducts.Products products =
        new TopProducts.Products(
            new PairScoring(plan.settings().decoder(), this::parameter, vectors, kernels)
                .mapped(wanted.vertices(), type, arena),
            vectors,
            kernels.matmul(),
            kernels.workers());
    return Recommendations.of(products, wanted, vertexNames(), kernels.workers());
  }

  /// Returns the probability of an edge between the vertices of each pair; under a launcher, of
  /// none but on the first process.
  float[] edgeProbabilities(VertexPairs pairs) {
    requireTask(Task.LINKS, "edges");
    pairs.requireIn(data.vertices(), data.name());
    LinkDecoder decoder = plan.settings().decoder();
    int[] types = pairs.types(decoder.types());
    requireFits(edgeProbabilityMemory(pairs.count()));
    return onRanks(
        IntStream.range(0, data.vertices()).toArray(),
        (share, inference, logits) -> {
          DenseMatrix vectors = gathered(share, inference, logits);
          if (share.rank() != 0) {
            return new float[0];
          }
          try (Workers workers = new Workers(threads())) {
            Kernels kernels = new Kernels(workers, settings.machine().matmul());
            float[] scores =
                new PairScoring(decoder, this::parameter, vectors, kernels)
                    .scores(pairs.firsts(), pairs.seconds(), types);
            for (int i = 0; i < scores.length; i++) {
              scores[i] = (float) Recommendations.probability(scores[i]);
            }
            return scores;
          }
        });
  }

  /// Returns the memory that scoring pairs needs, including pairs and results.
  MemoryEstimate edgeProbabilityMemory(int pairs) {
    int width = outputs.names().size();
    return evaluationMemory()
        .with("vectors", (long) data.vertices() * width * Float.BYTES)
        .with(
            "pairs",
            PairScoring.bytes(plan.settings().decoder(), width) + (long) pairs * PAIR_BYTES);
  }

  /// The number of a type of edges that the decoder tells from others; -1 if it tells none.
  private int edgeType(@Nullable String edges) {
    List<String> types = plan.settings().decoder().types();
    if (types.size() < 2) {
      if (edges != null) {
        throw new InvalidSettingException(
            "{edgeType}: the model tells no types of edges apart; leave it out, or train with {decoder} bilinear on edges of several types");
      }
      return -1;
    }
    if (edges == null || !types.contains(edges)) {
      throw new InvalidSettingException(
          "{edgeType}: expected the type of edges to recommend by, one of %s, found %s"
              .formatted(Dataset.shown(types), edges == null ? "none" : edges));
    }
    return types.indexOf(edges);
  }

  /// Returns the memory that recommending needs, including its results.
  MemoryEstimate recommendationMemory(int vertices, int top) {
    int width = outputs.names().size();
    long chosen = vertices == 0 ? data.vertices() : vertices;
    long copies =
        switch (plan.settings().decoder().kind()) {
          case DOT -> 1;
          case DISTMULT, BILINEAR -> 2;
          case MLP -> 0;
        };
    long layers = copies == 0 ? PairNetwork.bytes(width) : 0;
    return evaluationMemory()
        .with("vectors", (data.vertices() + copies * chosen) * width * Float.BYTES)
        .with(
            "recommendations",
            TopProducts.bytes(width)
                + layers
                + chosen * Math.min(top, data.vertices()) * ITEM_BYTES);
  }

  private void predict(DenseMatrix logits) {
    try (Workers workers = new Workers(threads())) {
      if (objective != null) {
        objective.predict(logits, workers);
      }
    }
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
