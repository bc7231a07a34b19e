package dev.gossamer;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.base.trace.Timeline;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Relations;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Standardisation;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import dev.gossamer.nn.clock.PhaseClock;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.LinkScoring;
import dev.gossamer.run.Metric;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.RankLog;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.TrainingLoop;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.MemoryEstimate.Remedy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Runs a training: checks that memory suffices, places the vertices and starts the ranks, each of
/// which runs the training loop.
final class TrainingRun {
  /// The largest value of a feature may be this number of times that of another before a warning.
  private static final double MOST_BETWEEN_FEATURES = 100;

  private final GraphTraining training;
  private final TrainingSettings settings;
  private final GraphTraining.Surroundings surroundings;
  private final @Nullable MinibatchSettings minibatches;
  private final ModelDescription.Features features;
  private final Metric selectBy;
  private final TrainingJob job;

  /// The data set with its own edges, whatever layers read.
  private final GraphData scaled;

  /// What was looked at to choose; null if there was no choice.
  private @Nullable WholeGraphWay wholeGraph;

  /// @param arena shared, owner of scaled features; must outlive the run
  /// @throws dev.gossamer.base.InvalidInputException if the settings do not suit the data
  TrainingRun(Arena arena, GraphTraining training) {
    this.training = training;
    settings = training.settings();
    surroundings = training.surroundings();
    GraphData given = withSplit();
    selectBy = settings.learning().pace().selectBy(given.task());
    requireScored(given, selectBy);
    FeatureScaling scaling = settings.architecture().featureScaling();
    features =
        ModelDescription.Features.of(
            given, scaling, scaling == FeatureScaling.STANDARD ? Standardisation.of(given) : null);
    LayerKind kind = settings.architecture().kind();
    scaled = features.scaled(arena, given);
    // Reports of a plan read the graph when the run has ended.
    GraphData data = kind.seen(Arena.ofAuto(), scaled);
    minibatches = minibatches(data);
    job = job(data, minibatches);
  }

  private TrainingJob job(GraphData data, @Nullable MinibatchSettings batches) {
    NetworkSettings network =
        settings.architecture().network(data, batches, settings.learning().decayed());
    NetworkTraining trained =
        new NetworkTraining(
            network,
            settings.learning().loss().objective(scaled),
            settings.learning().optimizer(),
            settings.seed());
    return new TrainingJob(
        data,
        trained,
        settings.learning().pace(),
        settings.ranks(),
        settings.machine(),
        surroundings.listener());
  }

  /// The minibatches of the run, if it has any.
  private @Nullable MinibatchSettings minibatches(GraphData data) {
    return switch (settings.mode()) {
      case TrainingMode.FullGraph _ -> null;
      case TrainingMode.Minibatch batches -> onRanks(batches.settings());
      case TrainingMode.Auto either when suits() -> ifNeeded(data, onRanks(either.ifNeeded()));
      case TrainingMode.Auto _ -> null;
    };
  }

  /// One rank has no others, whose vertices would not be its own.
  private MinibatchSettings onRanks(MinibatchSettings batches) {
    return settings.ranks().size() == 1 ? batches.withSharedBatches() : batches;
  }

  /// Whether minibatches may be trained on where the whole graph does not fit.
  private boolean suits() {
    RankSettings ranks = settings.ranks();
    boolean sameLimit = !ranks.launch().underLauncher() || settings.machine().memory().isPresent();
    return sameLimit && ranks.strategy().kind() == Kind.SPARSITY_AWARE && samplesWhatLayersSee();
  }

  /// Whether the sampler draws neighbours if, and only if, layers look at them.
  private boolean samplesWhatLayersSee() {
    MinibatchSettings asked = settings.mode().minibatches();
    boolean sees = settings.architecture().kind().sight() != LayerKind.Sight.NONE;
    return asked == null || asked.sampler().drawsNeighbours() == sees;
  }

  /// The minibatches, the largest that fit, if the whole graph does not.
  private @Nullable MinibatchSettings ifNeeded(GraphData data, MinibatchSettings asked) {
    TrainingJob whole = job(data, null);
    long limit = whole.limit();
    wholeGraph = wholeGraph(whole);
    MemoryEstimate needed = wholeGraph.estimate(limit);
    if (needed.needed() <= limit) {
      return null;
    }
    @Nullable MinibatchSettings fitting = MinibatchWay.fitting(job(data, asked), asked);
    if (fitting != null && settings.ranks().launch().isFirstProcess()) {
      surroundings.listener().minibatchesNeeded(needed, limit, fitting);
    }
    return fitting;
  }

  /// The data set with a split.
  private GraphData withSplit() {
    GraphData data = training.dataset().data();
    Dataset.requireFeatures(data);
    if (data.split().length == 0 && data.outputs() > 0 && data.task() != Task.LINKS) {
      surroundings.listener().splitDrawn(surroundings.split());
      data = surroundings.split().draw(data);
    }
    Dataset.requireTrainable(data);
    return data;
  }

  /// Refuses to select weights by a score that the validation part does not have.
  private static void requireScored(GraphData data, Metric metric) {
    Set<Metric> scores = scores(data);
    if (!scores.contains(metric)) {
      throw new InvalidSettingException(
          "{selectBy}: expected one of %s for the task of %s, which is %s, found %s"
              .formatted(
                  scores.stream()
                      .map(InvalidSettingException::nameOf)
                      .collect(Collectors.joining(", ")),
                  data.name(),
                  InvalidSettingException.nameOf(data.task()),
                  InvalidSettingException.nameOf(metric)));
    }
    boolean area = metric == Metric.ROC_AUC || metric == Metric.PR_AUC;
    if (area && data.task() == Task.CLASSIFICATION) {
      long classes =
          Arrays.stream(data.classCounts(Split.VALIDATION)).filter(count -> count > 0).count();
      if (data.classes() != 2 || classes != 2) {
        throw new InvalidSettingException(
            "{selectBy}: %s needs two classes, both in the validation part; found %d classes, %d of them there"
                .formatted(InvalidSettingException.nameOf(metric), data.classes(), classes));
      }
    }
    Targets targets = data.targets();
    boolean compares = area || metric == Metric.R2;
    if (compares && targets != null && !targets.vary(data, Split.VALIDATION)) {
      throw new InvalidSettingException(
          "{selectBy}: %s needs a %s of which the validation part has different values, found none of %d"
              .formatted(
                  InvalidSettingException.nameOf(metric),
                  data.task() == Task.REGRESSION ? "number" : "label",
                  data.outputs()));
    }
  }

  private static Set<Metric> scores(GraphData data) {
    return switch (data.task()) {
      case CLASSIFICATION -> EnumSet.range(Metric.LOSS, Metric.PR_AUC);
      case MULTI_LABEL ->
          EnumSet.of(Metric.LOSS, Metric.MICRO_F1, Metric.MACRO_F1, Metric.ROC_AUC, Metric.PR_AUC);
      case REGRESSION -> EnumSet.of(Metric.LOSS, Metric.RMSE, Metric.MAE, Metric.R2);
      case LINKS -> {
        LinkTask links = Objects.requireNonNull(data.links());
        Set<Metric> all = EnumSet.of(Metric.LOSS, Metric.ROC_AUC, Metric.PR_AUC);
        all.addAll(LinkScoring.ofRanks(links.candidates().areShared()));
        yield all;
      }
    };
  }

  /// Says that features are on scales so different that the largest alone would be learned from.
  private void warnOfScales() {
    if (features.scaling() != FeatureScaling.NONE) {
      return;
    }
    double[] largest = Standardisation.largest(job.data());
    int most = 0;
    int least = 0;
    for (int f = 0; f < largest.length; f++) {
      most = largest[f] > largest[most] ? f : most;
      boolean smaller = largest[least] == 0 || largest[f] < largest[least];
      least = largest[f] > 0 && smaller ? f : least;
    }
    if (largest[most] > MOST_BETWEEN_FEATURES * largest[least]) {
      surroundings
          .listener()
          .warning(
              String.format(
                  Locale.ROOT,
                  "features are on different scales: feature %s is up to %.3g, feature %s up to %.3g; {featureScaling} standard brings them to one",
                  name(most),
                  largest[most],
                  name(least),
                  largest[least]));
    }
  }

  /// Says which classes cannot be learned.
  private void warnOfClasses() {
    GraphData data = job.data();
    if (data.task() != Task.CLASSIFICATION) {
      return;
    }
    long[] trained = data.classCounts(Split.TRAIN);
    List<String> missing =
        IntStream.range(0, trained.length)
            .filter(c -> trained[c] == 0)
            .mapToObj(data.info().classNames()::get)
            .toList();
    if (!missing.isEmpty()) {
      surroundings
          .listener()
          .warning(
              "%d of %d classes have no training vertex and cannot be learned: %s"
                  .formatted(missing.size(), data.classes(), Dataset.shown(missing)));
    }
  }

  private String name(int feature) {
    return features.names().isEmpty() ? Integer.toString(feature) : features.names().get(feature);
  }

  /// Returns what is trained, with all defaults filled in.
  TrainingJob job() {
    return job;
  }

  /// Returns the minibatches of the run; null if it trains on the whole graph.
  @Nullable MinibatchSettings minibatches() {
    return minibatches;
  }

  TrainingResult run() {
    if (minibatches != null) {
      return run(new MinibatchWay(job, layout(), minibatches));
    }
    return run(wholeGraph == null ? wholeGraph(job) : wholeGraph);
  }

  private WholeGraphWay wholeGraph(TrainingJob whole) {
    GraphTraining.Outlook outlook = surroundings.outlook();
    boolean begun = surroundings.output().isBegun();
    MinibatchSettings asked = suits() ? settings.mode().minibatches() : null;
    return new WholeGraphWay(
        whole,
        layout(),
        outlook == null || begun ? null : outlook.open(),
        new WholeGraphWay.Minibatches(asked != null, () -> minibatchRemedies(whole.data(), asked)));
  }

  /// What minibatches would take if the whole graph does not fit in any way: those that are asked
  /// for in that case, or the usual ones.
  private Stream<Remedy> minibatchRemedies(GraphData data, @Nullable MinibatchSettings asked) {
    Architecture architecture = settings.architecture();
    RankSettings ranks = settings.ranks();
    MinibatchSettings batches =
        asked != null
            ? asked
            : architecture.usualMinibatches().withReplication(ranks.strategy().replication());
    try {
      NetworkSettings network = architecture.network(data, batches, settings.learning().decayed());
      MinibatchWay.requireTogether(network, batches, ranks);
      MinibatchWay.requireSuits(data, network, batches);
    } catch (InvalidInputException e) {
      return Stream.empty();
    }
    return LessMemory.of(job(data, batches), batches).remedies("{mode} minibatch");
  }

  /// Where ranks are; null if nothing is known of the machines, or of what is between them.
  private @Nullable RankLayout layout() {
    GraphTraining.Outlook outlook = surroundings.outlook();
    RankLaunch launch = settings.ranks().launch();
    if (outlook == null || !launch.isFirstProcess()) {
      return null;
    }
    Cluster cluster = outlook.cluster();
    if (cluster.nodes() > 1) {
      return RankLayout.of(cluster, launch);
    }
    boolean here = launch.ranksOfProcess() * launch.processesHere() == launch.ranks();
    return here ? RankLayout.of(settings.machine().node(cluster, launch), launch) : null;
  }

  private <T extends EpochTrainer> TrainingResult run(Way<T> way) {
    RankSettings ranks = settings.ranks();
    Way.Decided decided = ranks.launch().isFirstProcess() ? way.decide() : null;
    RunFolder folder =
        surroundings
            .output()
            .folder(job.data().name(), decided == null ? settings : chosen(decided));
    if (folder != null && ranks.launch().isFirstProcess()) {
      folder.requireSameData(DataParts.of(job.data(), job.training()), DataParts.LATER);
      TrainingLoop.mend(folder)
          .ifPresent(damage ->
              surroundings
                  .listener()
                  .warning(damage + "; the run resumes from the checkpoint before it"));
      TrainingLoop.otherScore(folder, selectBy)
          .ifPresent(other ->
              surroundings
                  .listener()
                  .warning(
                      "the run has selected weights by %s so far, and by %s from here on: those of its checkpoint are the first to compare with"
                          .formatted(other, InvalidSettingException.nameOf(selectBy))));
    }
    if (decided != null) {
      TrainingPlan plan =
          new TrainingPlan(
              job.data(),
              job.training(),
              decided.shape().in(training.dataset()),
              decided.way(),
              decided.cost(),
              folder);
      surroundings.listener().planned(plan);
      if (folder != null) {
        folder.keep(plan.estimate());
      }
      warnOfScales();
      warnOfClasses();
    }
    AtomicReference<@Nullable TrainingResult> result = new AtomicReference<>();
    ranks
        .launch()
        .run(world -> {
          Placement known = decided == null ? null : decided.placement();
          Placement placement = placement(world, known, way.blocks(world));
          TrainingResult mine = train(world, way, placement, folder);
          if (world.rank() == 0 || ranks.launch().underLauncher()) {
            result.set(mine);
          }
        });
    return Objects.requireNonNull(result.get());
  }

  /// The settings with all that was chosen automatically. Those of minibatches are as asked for:
  /// one rank draws from all vertices, and the bulk goes by the memory of the moment.
  private TrainingSettings chosen(Way.Decided decided) {
    MinibatchSettings asked = settings.mode().minibatches();
    TrainingMode mode =
        minibatches == null || asked == null
            ? new TrainingMode.FullGraph()
            : new TrainingMode.Minibatch(asked.withBatchSize(minibatches.batchSize()));
    return settings.withMode(mode).withRanks(decided.ranks());
  }

  /// The first process' placement; threads share it.
  private Placement placement(Communicator world, @Nullable Placement known, int blocks) {
    return known == null || settings.ranks().launch().underLauncher()
        ? Placement.broadcast(world, known, job.data().vertices(), blocks)
        : known;
  }

  /// Trains on one rank.
  private <T extends EpochTrainer> TrainingResult train(
      Communicator world, Way<T> way, Placement placement, @Nullable RunFolder folder) {
    boolean first = world.rank() == 0;
    boolean threads = !settings.ranks().launch().underLauncher();
    RankLog log = RankLog.of(world, Timeline.ofEpochs(surroundings.output().trace()), threads);
    List<EpochRecord> records = new ArrayList<>();
    try (Workers workers = new Workers(job.threads());
        T trainer =
            way.trainer(
                world,
                placement,
                new Kernels(workers, job.machine().matmul(), new PhaseClock(log.timeline())))) {
      if (first) {
        way.warnings(trainer, settings.learning().pace().epochs())
            .forEach(surroundings.listener()::warning);
      }
      TrainingLoop loop =
          new TrainingLoop(
              settings.learning().loop(selectBy),
              trainer,
              folder,
              first,
              record -> {
                records.add(record);
                log.epoch(record.epoch(), trainer.sent(), record.costs().ownByLabel());
                if (first) {
                  surroundings.listener().epoch(record);
                  surroundings.listener().weights(record.epoch(), trainer.state());
                  way.takeWarning(trainer).ifPresent(surroundings.listener()::warning);
                }
              });
      TrainingLoop.Result ended;
      try (var _ = surroundings.stop().whenRequested(loop::requestStop)) {
        ended = loop.run();
      }
      TrainingFacts facts = way.facts(trainer, records);
      if (surroundings.output().isWritten()) {
        log.write(folder);
      }
      GraphModel model = model(trainer.state(), ended);
      if (first && folder != null && !ended.interrupted()) {
        model.write(folder.model());
      }
      return new TrainingResult(
          model,
          ended.finalEvaluation(),
          job.data().task() == Task.CLASSIFICATION ? MajorityClass.of(job.data()) : null,
          new TrainingResult.End(ended.epochs(), ended.bestEpoch(), ended.interrupted()),
          records,
          first ? facts : null);
    }
  }

  /// The model, with a copy of the weights.
  private GraphModel model(DenseState state, TrainingLoop.Result ended) {
    MemorySegment weights = Arena.ofAuto().allocate(state.weights().byteSize(), Float.BYTES);
    weights.copyFrom(state.weights());
    GraphData data = job.data();
    NetworkSettings network = job.training().network();
    Relations relations = data.relations();
    return new GraphModel(
        new ModelDescription(
            relations == null ? network : network.on(relations.withoutSets()),
            features,
            ModelOutputs.of(data, job.training().objective()),
            ModelDescription.Edges.of(data, network),
            facts(ended)),
        weights);
  }

  /// What a model file says of its training, for people to read.
  private Map<String, String> facts(TrainingLoop.Result ended) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("dataset", job.data().name());
    String fingerprint = job.data().info().provenance().get("fingerprint");
    if (fingerprint != null) {
      facts.put("fingerprint", fingerprint);
    }
    facts.put("seed", Long.toString(job.training().seed()));
    facts.put("epochs", Integer.toString(ended.epochs()));
    facts.put("best_epoch", Integer.toString(ended.bestEpoch()));
    put(facts, "validation", ended.finalEvaluation().validation());
    put(facts, "test", ended.finalEvaluation().test());
    facts.put("ranks", Integer.toString(job.ranks().size()));
    return facts;
  }

  /// The score by which the weights were selected.
  private void put(Map<String, String> facts, String part, Evaluation.Scores scores) {
    scores
        .value(selectBy)
        .ifPresent(score ->
            facts.put(part + "_" + selectBy.key(), String.format(Locale.ROOT, "%.6f", score)));
  }
}
