package dev.gossamer.pruned;

import dev.gossamer.base.Workers;
import dev.gossamer.base.trace.Timeline;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.FirstRankText;
import dev.gossamer.nn.state.WeightHistogram;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.ImageCorpus;
import dev.gossamer.pruned.corpus.PixelScaling;
import dev.gossamer.pruned.corpus.TextCorpus;
import dev.gossamer.pruned.corpus.Tokenizer;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.Beginning;
import dev.gossamer.pruned.pipeline.GatheredHistograms;
import dev.gossamer.pruned.pipeline.GatheredNetwork;
import dev.gossamer.pruned.pipeline.IterationListener;
import dev.gossamer.pruned.pipeline.IterationRecord;
import dev.gossamer.pruned.pipeline.IterationResult;
import dev.gossamer.pruned.pipeline.NetworkTensors;
import dev.gossamer.pruned.pipeline.PipelineTrainer;
import dev.gossamer.pruned.pipeline.PipelineTraining;
import dev.gossamer.pruned.pipeline.Pruner;
import dev.gossamer.pruned.pipeline.PruningChoice;
import dev.gossamer.pruned.pipeline.RankEnvironment;
import dev.gossamer.pruned.pipeline.RunSummary;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.RankLog;
import dev.gossamer.run.RunFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A planned run on its ranks.
///
/// @param corpus borrowed
/// @param trace number of iterations to trace
record PipelineRun(
    RunPlan plan, Corpus corpus, RankLaunch launch, Choices choices, Watcher watcher, int trace) {
  /// Choices that are not in the plan.
  ///
  /// @param start initial parameters; null to initialise them
  record Choices(
      PruningSettings settings,
      PruningChoice pruning,
      PipelineTraining.Settings training,
      @Nullable NetworkTensors start) {}

  /// Runs the ranks of this process.
  PrunedResult run() {
    Path path = plan.folder();
    if (path != null) {
      SortedMap<String, String> parts = new TreeMap<>(Map.of("data", corpus.fingerprint()));
      RunFolder folder = new RunFolder(path);
      folder.requireSameData(parts);
      folder.keep(plan.estimate());
    }
    AtomicReference<@Nullable PrunedResult> run = new AtomicReference<>();
    launch.run(world -> {
      PrunedResult mine = rank(world);
      if (world.rank() == 0 || launch.ranksOfProcess() == 1) {
        run.set(mine);
      }
    });
    return Objects.requireNonNull(run.get());
  }

  private PrunedResult rank(Communicator world) {
    boolean together = launch.ranksOfProcess() == world.size();
    RunFolder folder = folder(world);
    if (folder != null) {
      PrunedModel.requireWritable(folder);
    }
    RankLog log = RankLog.of(world, Timeline.ofEpochs(trace), together);
    StagePart part = Beginning.part(plan.stages().get(plan.grid().stage(world.rank())), folder);
    Beginning beginning = Beginning.of(part, choices.pruning(), choices.start(), folder);
    try (Workers workers = new Workers(plan.rank().threads());
        PipelineTrainer trainer =
            PipelineTrainer.open(
                world,
                part,
                beginning,
                corpus,
                new RankEnvironment(workers, log.timeline(), launch.link()))) {
      Pruner pruner = new Pruner(choices.pruning(), plan.network(), trainer);
      PipelineTraining.Result result =
          new PipelineTraining(
                  trainer,
                  pruner,
                  choices.training(),
                  folder,
                  listener(log, trainer, world.rank() == 0))
              .run();
      if (folder != null) {
        log.write(folder);
      }
      if (result.interrupted()) {
        return new PrunedResult(plan.on(trainer.part().all()), result, null, null);
      }
      RunSummary summary = RunSummary.of(trainer, pruner, result.records());
      PrunedModel model =
          model(
              new GatheredNetwork(trainer),
              folder,
              summary,
              description(architecture(trainer.part().network()), summary, result));
      return new PrunedResult(plan.on(trainer.part().all()), result, summary, model);
    }
  }

  private IterationListener listener(RankLog log, PipelineTrainer trainer, boolean first) {
    return new IterationListener() {
      @Override
      public void done(IterationRecord iteration) {
        IterationResult result = iteration.result();
        log.epoch(iteration.number(), result.sent().all(), result.times().byLabel());
        if (first) {
          watcher.iterations().accept(iteration);
        }
        if (watcher.weights().isDueAfter(iteration.number())) {
          Map<String, WeightHistogram> histograms = GatheredHistograms.of(trainer);
          if (first) {
            watcher.weights().listener().accept(iteration.number(), histograms);
          }
        }
      }

      @Override
      public void moved(int done, List<StagePart> stages) {
        if (first) {
          watcher.grids().accept(done, plan.on(stages));
        }
      }

      @Override
      public boolean stops() {
        return watcher.stop().getAsBoolean();
      }
    };
  }

  /// The first process' folder, into which every stage writes its part of a checkpoint; null if
  /// there is none.
  private @Nullable RunFolder folder(Communicator world) {
    Path mine = plan.folder();
    if (launch.ranksOfProcess() == world.size()) {
      return mine == null ? null : new RunFolder(mine);
    }
    String path = FirstRankText.onAll(world, mine == null ? "" : mine.toAbsolutePath().toString());
    return path.isEmpty() ? null : new RunFolder(Path.of(path));
  }

  /// The model on the first rank: from the files of the run, or in memory.
  private static @Nullable PrunedModel model(
      GatheredNetwork network,
      @Nullable RunFolder folder,
      RunSummary summary,
      PrunedModelDescription description) {
    if (folder != null) {
      boolean pruned = summary.kept() < network.network().parameters();
      return PrunedModel.writeAll(folder, network, pruned, description);
    }
    NetworkTensors tensors = network.tensors();
    return tensors == null ? null : new PrunedModel(description, tensors);
  }

  private PrunedModelDescription description(
      DenseArchitecture architecture, RunSummary summary, PipelineTraining.Result result) {
    Tokenizer tokenizer = corpus instanceof TextCorpus text ? text.tokenizer() : null;
    PixelScaling standardisation =
        corpus instanceof ImageCorpus images ? images.standardisation() : null;
    return new PrunedModelDescription(
        architecture, tokenizer, standardisation, facts(summary, result));
  }

  /// What the network is built from that a run has ended with.
  private DenseArchitecture architecture(LayerNetwork network) {
    if (network.layout().equals(plan.network().layout())) {
      return plan.architecture();
    }
    Map<String, Integer> widths = new TreeMap<>();
    network.structures().forEach(each -> widths.put(each.name(), each.units()));
    return plan.architecture().withWidths(widths);
  }

  /// What a model file says about how it was made.
  private Map<String, String> facts(RunSummary summary, PipelineTraining.Result result) {
    Map<String, String> facts = new TreeMap<>();
    facts.put("data", plan.data().name());
    facts.put("iterations", Integer.toString(result.iterations()));
    facts.put("seed", Long.toString(plan.settings().seed()));
    facts.put("precision", plan.state().format().name().toLowerCase(Locale.ROOT));
    facts.put("prune", choices.settings().when().label());
    facts.put("parameters", Long.toString(summary.parameters()));
    facts.put("kept", Long.toString(summary.kept()));
    RunSummary.Ticket ticket = summary.ticket();
    if (ticket != null) {
      facts.put("pruned_before_iteration", Integer.toString(ticket.iteration()));
      if (!choices.pruning().isGiven()) {
        facts.put("criterion", choices.pruning().criterionName());
      }
    }
    if (result.validation() != null) {
      facts.put("validation_loss", Double.toString(result.validation().loss()));
    }
    return facts;
  }
}
