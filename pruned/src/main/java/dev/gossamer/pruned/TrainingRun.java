package dev.gossamer.pruned;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.FirstRankText;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.trace.Timeline;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.TextCorpus;
import dev.gossamer.pruned.corpus.Tokenizer;
import dev.gossamer.pruned.pipeline.IterationListener;
import dev.gossamer.pruned.pipeline.IterationRecord;
import dev.gossamer.pruned.pipeline.NetworkTensors;
import dev.gossamer.pruned.pipeline.PipelineTrainer;
import dev.gossamer.pruned.pipeline.PipelineTraining;
import dev.gossamer.pruned.pipeline.Pruner;
import dev.gossamer.pruned.pipeline.Pruning;
import dev.gossamer.pruned.pipeline.RankEnvironment;
import dev.gossamer.pruned.pipeline.RunSummary;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.RankLog;
import dev.gossamer.run.RunFolder;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A run that has been planned, on its ranks.
///
/// @param corpus borrowed
/// @param trace iterations that are drawn on a timeline
record TrainingRun(
    RunPlan plan, Corpus corpus, RankLaunch launch, Choices choices, Watcher watcher, int trace) {
  /// What the plan does not say.
  ///
  /// @param start what the run begins with; null for first values
  record Choices(
      PruningSettings settings,
      Pruning pruning,
      PipelineTraining.Settings training,
      @Nullable NetworkTensors start) {}

  /// Whoever watches the run.
  ///
  /// @param iterations hears of those of the first rank
  /// @param stop whether the run is to end; asked by all ranks
  record Watcher(Consumer<IterationRecord> iterations, BooleanSupplier stop) {}

  /// Runs the ranks of this process.
  PrunedRun run() {
    AtomicReference<@Nullable PrunedRun> run = new AtomicReference<>();
    launch.run(world -> {
      PrunedRun mine = rank(world);
      if (world.rank() == 0 || launch.ranksOfProcess() == 1) {
        run.set(mine);
      }
    });
    return Objects.requireNonNull(run.get());
  }

  private PrunedRun rank(Communicator world) {
    boolean together = launch.ranksOfProcess() == world.size();
    RunFolder folder = folder(world);
    if (folder != null) {
      PrunedModel.requireWritable(folder);
    }
    RankLog log = RankLog.of(world, Timeline.ofEpochs(trace), together);
    StagePart part = plan.stages().get(plan.grid().stage(world.rank()));
    try (Workers workers = new Workers(plan.rank().threads());
        PipelineTrainer trainer =
            PipelineTrainer.open(
                world, part, corpus, new RankEnvironment(workers, log.timeline(), launch.link()))) {
      if (choices.start() != null) {
        trainer.start(choices.start());
      }
      PruningSettings settings = choices.settings();
      Pruner pruner =
          new Pruner(
              choices.pruning(),
              settings.criterion(),
              settings.sparsity(),
              settings.blocks(),
              trainer);
      PipelineTraining.Result result =
          new PipelineTraining(
                  trainer, pruner, choices.training(), folder, listener(log, world.rank() == 0))
              .run();
      if (folder != null) {
        log.write(folder);
      }
      if (result.interrupted()) {
        return new PrunedRun(plan, result, null, null);
      }
      RunSummary summary = RunSummary.of(trainer, pruner, result.records());
      NetworkTensors tensors = NetworkTensors.gathered(trainer);
      PrunedModel model = tensors == null ? null : model(tensors, summary, result);
      if (model != null && folder != null) {
        model.writeAll(folder);
      }
      return new PrunedRun(plan, result, summary, model);
    }
  }

  private IterationListener listener(RankLog log, boolean first) {
    return new IterationListener() {
      @Override
      public void done(IterationRecord iteration) {
        log.epoch(iteration.number(), iteration.result().sent().all());
        if (first) {
          watcher.iterations().accept(iteration);
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

  private PrunedModel model(
      NetworkTensors tensors, RunSummary summary, PipelineTraining.Result result) {
    Tokenizer tokenizer = corpus instanceof TextCorpus text ? text.tokenizer() : null;
    return new PrunedModel(plan.architecture(), tensors, tokenizer, facts(summary, result));
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
      facts.put("criterion", choices.settings().criterionName());
    }
    if (result.validation() != null) {
      facts.put("validation_loss", Double.toString(result.validation().loss()));
    }
    return facts;
  }
}
