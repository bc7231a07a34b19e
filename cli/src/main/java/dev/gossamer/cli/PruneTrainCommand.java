package dev.gossamer.cli;

import dev.gossamer.matrix.Workers;
import dev.gossamer.pruned.MachineSettings;
import dev.gossamer.pruned.MemoryPlan;
import dev.gossamer.pruned.PrunedRun;
import dev.gossamer.pruned.PrunedTraining;
import dev.gossamer.pruned.PruningSettings.Never;
import dev.gossamer.pruned.RunPlan;
import dev.gossamer.pruned.pipeline.IterationRecord;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "train",
    description = "Train a network, prune it while it learns, and keep the survivors alone.",
    sortOptions = false,
    showDefaultValues = false,
    abbreviateSynopsis = true,
    modelTransformer = GroupedHelp.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer prune train",
      "      a small language model on the signatures of the JDK, pruned, beside the whole one",
      "  gossamer prune train --data input.txt --model gpt-small --iterations 1000",
      "      bytes of a text; --prune none trains the unpruned network instead",
      "  gossamer prune train --from gpt2/ --data input.txt --length 128 --lr 1e-4",
      "      fine-tune and prune weights in the layout of GPT-2",
      "  gossamer prune train --data mnist/ --batch 128 --microbatch 32",
      "      images; --criterion channels removes channels by scales of batch normalisation",
      "  gossamer prune train --ranks 4 --inter 2 --link 30us,0.8ns --trace",
      "      two replicas of a two-stage pipeline over an imitated 10 Gbit/s",
      "  gossamer prune train --model gpt-2.7b --plan --ranks 64",
      "      memory and time for each number of stages; nothing is trained",
      "  gossamer prune train --resume runs/20260131-101500-jdk-text",
      "      resume an interrupted run: the results of an uninterrupted one",
    })
final class PruneTrainCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @FlagGroup("Data:")
  @Mixin
  CorpusOptions data = new CorpusOptions();

  @FlagGroup(value = "Network:", sentence = "Sizes are those of the model unless given.")
  @Mixin
  PrunedModelOptions model = new PrunedModelOptions();

  @FlagGroup("Pruning:")
  @Mixin
  PruneOptions prune = new PruneOptions();

  @FlagGroup("Iterations:")
  @Mixin
  IterationOptions iterations = new IterationOptions();

  @FlagGroup("Optimizer:")
  @Mixin
  PrunedOptimizerOptions optimizer = new PrunedOptimizerOptions();

  @FlagGroup(
      value = "Storage:",
      sentence =
          "In which form parameters, gradients and the index of the survivors are kept, and activations travel.")
  @Mixin
  StorageOptions storage = new StorageOptions();

  @FlagGroup(
      value = "Batches and pipeline:",
      sentence = "Ranks form --inter stages of a pipeline, and replicas that share the batch.")
  @Mixin
  PipelineOptions pipeline = new PipelineOptions();

  @FlagGroup("Ranks and machine:")
  @Mixin
  LaunchOptions ranks = new LaunchOptions();

  @FlagGroup("Ranks and machine:")
  @Mixin
  MachineOptions machine = new MachineOptions();

  @FlagGroup("Run:")
  @Mixin
  RunOptions runs = new RunOptions();

  @FlagGroup("Run:")
  @Mixin
  PlanOptions also = new PlanOptions();

  @FlagGroup("Output:")
  @Mixin
  CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    PrunedTraining training = training();
    if (also.plan) {
      plan(training);
      return 0;
    }
    AtomicBoolean stop = new AtomicBoolean();
    try (StopOnExit onExit = new StopOnExit(() -> stop.set(true))) {
      PrunedRun run = watched(training.stopWhen(stop::get), new Progress("training", onExit));
      boolean compared = !run.result().interrupted() && isCompared();
      PrunedRun whole =
          compared
              ? watched(
                  settings().prune(new Never()).stopWhen(stop::get),
                  new Progress("the whole network", onExit))
              : null;
      return end(run, whole == null || whole.result().interrupted() ? null : whole);
    }
  }

  /// Whether the whole network is trained, too.
  private boolean isCompared() {
    boolean prunes = !prune.settings().when().equals(new Never());
    boolean shows = data.data == null && model.from == null;
    return prunes && (prune.compare == null ? shows : prune.compare);
  }

  private void plan(PrunedTraining training) {
    MemoryPlan plan;
    try (ReadingLine reading = new ReadingLine(common.quiet)) {
      plan = training.onReading(reading).plan();
    }
    try (Workers workers = new Workers(plan.rank().threads())) {
      double peak = MatmulPeak.measureCold(workers);
      new PrunePlanReport(plan, peak, common).print(spec.commandLine().getOut());
    }
  }

  private PrunedRun watched(PrunedTraining training, Progress progress) {
    try (progress) {
      return training
          .onReading(progress.reading)
          .onPlan(progress::begin)
          .onIteration(progress::update)
          .onGrid(progress::move)
          .train();
    }
  }

  /// What the flags say.
  PrunedTraining training() {
    PrunedTraining training = settings().trace(also.trace);
    return runs.resume == null ? newRun(training) : training.resume(runs.resume);
  }

  /// What the flags say of a run that leaves no files.
  private PrunedTraining settings() {
    return pipeline.staged(
        model
            .started(data.training())
            .launch(ranks.launch())
            .model(model.settings())
            .pruning(prune.settings())
            .iterations(iterations.settings())
            .optimizer(optimizer.settings())
            .storage(storage.settings())
            .batches(pipeline.batches())
            .machine(machineSettings())
            .seed(iterations.seed));
  }

  private PrunedTraining newRun(PrunedTraining training) {
    return training.folder(name -> {
      data.makeAbsolute();
      model.makeAbsolute();
      return runs.folder(ranks, name, spec);
    });
  }

  private MachineSettings machineSettings() {
    Long memory = machine.memory == null ? null : MachineOptions.bytes("--memory", machine.memory);
    return new MachineSettings(machine.threads, memory, pipeline.memoryPerRank(), null);
  }

  /// @param whole run of the whole network; null if there was none
  /// @return exit status
  private int end(PrunedRun run, @Nullable PrunedRun whole) {
    if (run.result().interrupted()) {
      if (ranks.isFirstProcess()) {
        Failures.interrupted(
            spec,
            common,
            "interrupted after iteration %d; resume with: gossamer prune train --resume %s"
                .formatted(run.result().iterations(), run.plan().folder()));
      }
      return Failures.INTERRUPTED;
    }
    if (ranks.isFirstProcess()) {
      try (Workers workers = new Workers(run.plan().rank().threads())) {
        double peak = MatmulPeak.measure(workers);
        new PruneReport(run.plan(), ranks.link, common)
            .end(spec.commandLine().getOut(), run, whole, peak);
      }
    }
    return 0;
  }

  /// Shows how far a run is.
  private final class Progress implements AutoCloseable {
    private final boolean quiet = common.quiet || !ranks.isFirstProcess();
    private final ReadingLine reading = new ReadingLine(quiet);
    private final String name;
    private final StopOnExit onExit;
    private @Nullable ProgressLine line;

    /// @param name what is trained
    Progress(String name, StopOnExit onExit) {
      this.name = name;
      this.onExit = onExit;
    }

    void begin(RunPlan plan) {
      reading.close();
      if (ranks.isFirstProcess()) {
        new PruneReport(plan, ranks.link, common).begin(spec.commandLine().getErr());
      }
      line = new ProgressLine(name, "iterations", iterations.iterations, quiet);
      onExit.listen();
    }

    void update(IterationRecord record) {
      if (line != null) {
        line.update(record.number(), message(record));
      }
    }

    void move(int done, RunPlan plan) {
      if (line != null) {
        line.close();
      }
      new PruneReport(plan, ranks.link, common).move(spec.commandLine().getErr(), done);
      line = new ProgressLine(name, "iterations", iterations.iterations, quiet);
    }

    private static String message(IterationRecord record) {
      String loss = String.format(Locale.ROOT, "loss %.4f", record.result().loss());
      return record.validation() == null
          ? loss
          : loss + String.format(Locale.ROOT, "  validation %.4f", record.validation().loss());
    }

    @Override
    public void close() {
      reading.close();
      if (line != null) {
        line.close();
        line = null;
      }
    }
  }
}
