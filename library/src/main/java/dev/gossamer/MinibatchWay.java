package dev.gossamer;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.feature.FetchCounts;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchCounts;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchTrainer;
import dev.gossamer.gnn.sampling.SamplingSeconds;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Task;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.partition.Balance;
import dev.gossamer.planner.MinibatchCost;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Figures;
import dev.gossamer.run.Figures.Figure;
import dev.gossamer.run.Median;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Trains on sampled minibatches.
final class MinibatchWay implements Way<MinibatchTrainer> {
  private final TrainingJob job;
  private final @Nullable RankLayout layout;
  private final MinibatchSettings asked;
  private final String where;
  private final MinibatchPlan usual;

  /// What the first process has decided; ranks that are threads share it.
  private @Nullable Chosen chosen;

  /// What follows from where vertices are.
  ///
  /// @param plan with their placement
  /// @param settings with a bulk
  private record Chosen(MinibatchPlan plan, MinibatchSettings settings) {}

  /// @param layout where ranks are; null if nothing is known of the machines
  /// @param asked with a bulk that may be chosen once vertices are placed
  /// @throws dev.gossamer.base.InvalidInputException if settings are incompatible
  MinibatchWay(TrainingJob job, @Nullable RankLayout layout, MinibatchSettings asked) {
    this.job = job;
    this.layout = layout;
    this.asked = asked;
    RankSettings ranks = job.ranks();
    requireTogether(job.training().network(), asked, ranks);
    requireSuits(job.data(), job.training().network(), asked);
    where = placement(ranks, asked);
    Placed.requireKnown(where);
    usual = MinibatchPlan.of(job.data(), job.training(), ranks.size());
  }

  /// Returns the settings with the batches per step and the bulk of a run.
  ///
  /// @param threads of each rank
  /// @param here ranks of the process
  /// @param limit maximum bytes of the process
  static MinibatchSettings withBulk(
      MinibatchPlan plan, MinibatchSettings asked, int threads, int here, long limit) {
    MinibatchSettings steps = asked.withStepBatches(asked.stepBatches(plan.ranks()));
    if (!steps.hasAutomaticBulk()) {
      return steps.withBulk(Math.clamp(plan.turns(steps), 1, steps.bulk()));
    }
    return steps.withBulk(
        steps.historical() == null ? plan.automaticBulk(steps, threads, here, limit) : 1);
  }

  /// Returns the settings with the largest batch that fits, at most the given one; null if none
  /// fits.
  static @Nullable MinibatchSettings fitting(TrainingJob job, MinibatchSettings asked) {
    int size = LessMemory.of(job, asked).fittingBatch();
    return size == 0 ? null : asked.withBatchSize(size);
  }

  /// Returns the normalisation that a sampler requires; null if none.
  static @Nullable Normalisation normalisation(@Nullable MinibatchSettings settings) {
    return settings != null && settings.sampler().takesMeans() ? Normalisation.ROW_MEAN : null;
  }

  /// Refuses incompatible settings.
  static void requireTogether(
      NetworkSettings network, MinibatchSettings settings, RankSettings ranks) {
    requireNeighbours(network, settings);
    if (settings.sampler().layers() != network.layers()) {
      throw new InvalidSettingException(
          "{sampler}: expected one for %d layers, found one for %d"
              .formatted(network.layers(), settings.sampler().layers()));
    }
    boolean sums =
        network.kind().sight().sums() && network.normalisation() != Normalisation.ROW_MEAN;
    if (sums && settings.sampler().takesMeans()) {
      throw new InvalidSettingException(
          "{sampler}: %s takes the mean of what it draws; expected {normalisation} row-mean, found %s"
              .formatted(
                  settings.sampler().name(),
                  InvalidSettingException.nameOf(network.normalisation())));
    }
    if (sums && !settings.testFanouts().isEmpty()) {
      throw new InvalidSettingException(
          "{testFanouts}: takes the mean of what it draws; expected {normalisation} row-mean, found "
              + InvalidSettingException.nameOf(network.normalisation()));
    }
    if (network.seesRelations() && !settings.sampler().takesMeans()) {
      throw new InvalidSettingException(
          "{sampler}: %s takes the mean of what is drawn, by relation; expected one that takes means, such as sage, found %s"
              .formatted(network.kind().name(), settings.sampler().name()));
    }
    if (settings.replication() != ranks.strategy().replication()) {
      throw new InvalidSettingException(
          "{replication}: expected that of the ranks, %d, for minibatches too, found %d"
              .formatted(ranks.strategy().replication(), settings.replication()));
    }
    int stepBatches = settings.stepBatches(ranks.size());
    if (stepBatches % ranks.size() != 0) {
      throw new InvalidSettingException(
          "{stepBatches}: expected a multiple of the %d ranks, found %d"
              .formatted(ranks.size(), stepBatches));
    }
  }

  /// Refuses neighbours for a network that does not look at them, and none for one that does.
  private static void requireNeighbours(NetworkSettings network, MinibatchSettings settings) {
    String model = network.kind().name();
    String sampler = settings.sampler().name();
    if (network.seesGraph() != settings.sampler().drawsNeighbours()) {
      throw new InvalidSettingException(
          network.seesGraph()
              ? "{sampler}: {model} %s looks at neighbours; expected a sampler of some, found %s"
                  .formatted(model, sampler)
              : "{sampler}: {model} %s does not look at neighbours; expected none, found %s"
                  .formatted(model, sampler));
    }
    if (!network.seesGraph() && !settings.testFanouts().isEmpty()) {
      throw new InvalidSettingException(
          "{testFanouts}: {model} %s does not look at neighbours; leave it out".formatted(model));
    }
    if (!network.seesGraph() && settings.historical() != null) {
      throw new InvalidSettingException(
          "{historical}: {model} %s does not look at remote vertices; leave it out"
              .formatted(model));
    }
  }

  /// Refuses what batches of edges cannot have, if edges are to be predicted.
  static void requireOfEdges(GraphData data, MinibatchSettings settings) {
    if (data.task() != Task.LINKS) {
      return;
    }
    if (settings.sampler().drawsSubgraphs()) {
      throw new InvalidSettingException(
          "{sampler}: {task} links draws around the ends of edges, and %s draws vertices of its own; expected a layer-by-layer sampler, such as sage"
              .formatted(settings.sampler().name()));
    }
    if (settings.historical() != null) {
      throw new InvalidSettingException(
          "{historical}: embeddings are kept for batches of a rank's own vertices, and an edge of {task} links has ends on two ranks; leave it out");
    }
    if (settings.ownBatches()) {
      throw new InvalidSettingException(
          "{placement}: batches of edges are drawn from those of all ranks, as an edge of {task} links has ends on two; leave it out");
    }
    if (!settings.testFanouts().isEmpty()) {
      throw new InvalidSettingException(
          "{testFanouts}: edges are scored by the outputs of all vertices over all neighbours; leave it out");
    }
  }

  /// Refuses such settings, and a graph whose weights would not be read.
  static void requireSuits(GraphData data, NetworkSettings network, MinibatchSettings settings) {
    requireOfEdges(data, settings);
    boolean means = settings.sampler().takesMeans() || !settings.testFanouts().isEmpty();
    if (means && network.kind().weighsEdges() && data.adjacency().values() != null) {
      throw new InvalidInputException(
          "%s: neighbours are sampled regardless of edge weights; expected layers that do not read weights (sage, gat), or a graph without weights"
              .formatted(data.name()));
    }
  }

  /// Returns the placement of the vertices, which matters only if ranks draw batches of their own
  /// vertices.
  static String placement(RankSettings ranks, MinibatchSettings settings) {
    if (!settings.ownBatches() || ranks.blocks() == 1) {
      return Placed.BLOCK;
    }
    String where = ranks.placement();
    return where == null ? RankSettings.USUAL_PLACEMENT : where;
  }

  private Chosen choose(Placement placement) {
    MinibatchPlan plan = usual.placed(placement);
    long limit = job.limit() - dividing().left();
    return new Chosen(plan, withBulk(plan, asked, job.threads(), here(), limit));
  }

  private Dividing dividing() {
    return Dividing.of(job, where, job.ranks().blocks());
  }

  private int here() {
    return job.ranks().launch().ranksOfProcess();
  }

  @Override
  public Decided decide() {
    Placed placed = job.place(where, Balance.DEFAULT.training());
    Chosen made = choose(placed.placement());
    chosen = made;
    MinibatchPlan plan = made.plan();
    MinibatchSettings settings = made.settings();
    MemoryEstimate memory = dividing().in(plan.memory(settings, job.threads(), here()));
    memory.requireFits(job.limit(), "batchSize", new LessMemory(job, plan, asked).remedies(""));
    return new Decided(
        new TrainingPlan.Shape(plan.network(), plan.buffers(settings), memory),
        new TrainingPlan.Minibatches(plan, settings, placed.partitioning()),
        asked.ownBatches() ? job.ranks().withPlacement(where) : job.ranks(),
        layout == null || settings.partitioned()
            ? null
            : MinibatchCost.of(
                layout, plan, settings, placed.placement(), job.machine().threads(1)),
        placed.placement());
  }

  @Override
  public int blocks(Communicator world) {
    return job.ranks().blocks();
  }

  @Override
  public MinibatchTrainer trainer(Communicator world, Placement placement, Kernels kernels) {
    Chosen made = chosen == null ? choose(placement) : chosen;
    return new MinibatchTrainer(world, placement, made.plan(), made.settings(), kernels);
  }

  @Override
  public List<String> warnings(MinibatchTrainer trainer, int epochs) {
    HistoricalSettings kept = asked.historical();
    return kept == null ? List.of() : kept.warnings(trainer.turns(), epochs);
  }

  @Override
  public Optional<String> takeWarning(MinibatchTrainer trainer) {
    return trainer.takeWarning();
  }

  @Override
  public TrainingFacts facts(MinibatchTrainer trainer, List<EpochRecord> records) {
    MinibatchCounts mine = trainer.counts();
    FetchCounts fetched = mine.fetched();
    SamplingSeconds drawing = mine.sampling();
    Figures all = new Figures();
    Figure ranks = all.sum(1);
    Figure batches = all.sum(mine.batches());
    Figure fewest = all.smallest((double) mine.batches());
    Figure most = all.largest((double) mine.batches());
    Figure edges = all.sum(mine.edges());
    Figure graphBytes = all.sum(mine.graphBytes());
    Figure featureBytes = all.sum(fetched.bytes());
    Figure cachedRows = all.sum(fetched.cached());
    Figure fetchedRows = all.sum(fetched.fetched());
    Figure sample = all.largest(mine.sampleSeconds());
    Figure fetch = all.largest(fetched.seconds());
    Figure evaluate = all.largest(mine.evaluateSeconds() / Math.max(1, mine.evaluations()));
    Figure probability = all.largest(drawing.probability());
    Figure sampling = all.largest(drawing.sampling());
    Figure extraction = all.largest(drawing.extraction());
    Figure communication = all.largest(drawing.communication());
    all.reduce(trainer.team());
    double epochs = Math.max(1, records.size());
    double sampleWait = median(records, Phase.SAMPLE);
    double fetchWait = median(records, Phase.FETCH);
    double epoch = Median.of(records.stream().mapToDouble(EpochRecord::seconds));
    double hitRate =
        new FetchCounts(0, (long) cachedRows.value(), (long) fetchedRows.value(), 0, 0).hitRate();
    return new TrainingFacts.Sampled(
        trainer.settings(),
        (int) ranks.value(),
        new TrainingFacts.Batches(
            trainer.steps(),
            batches.value() / epochs,
            fewest.value() / epochs,
            most.value() / epochs),
        edges.value() / epochs,
        new TrainingFacts.Seconds(
            sample.value() / epochs,
            fetch.value() / epochs,
            sampleWait,
            fetchWait,
            Math.max(0, epoch - sampleWait - fetchWait),
            evaluate.value()),
        new SamplingSeconds(
            probability.value() / epochs,
            sampling.value() / epochs,
            extraction.value() / epochs,
            communication.value() / epochs),
        graphBytes.value() / epochs,
        new TrainingFacts.Fetched(
            featureBytes.value() / epochs,
            hitRate,
            job.data().features() instanceof Features.Dense),
        historical(trainer, mine, records));
  }

  private static double median(List<EpochRecord> records, Phase phase) {
    return Median.of(records.stream().mapToDouble(r -> r.phases().getOrDefault(phase, 0.0)));
  }

  private static @Nullable HistoricalFacts historical(
      MinibatchTrainer trainer, MinibatchCounts mine, List<EpochRecord> records) {
    HistoricalSettings kept = trainer.settings().historical();
    if (kept == null || mine.historical() == null) {
      return null;
    }
    double seconds = records.stream().mapToDouble(EpochRecord::seconds).sum();
    return HistoricalFacts.of(
        trainer.team(),
        kept.withLife(trainer.cacheLife()),
        trainer.fetchedTurns(),
        mine.historical(),
        records.size(),
        seconds);
  }
}
