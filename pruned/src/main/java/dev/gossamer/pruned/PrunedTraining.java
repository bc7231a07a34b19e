package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.nn.state.WeightHistogram;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.Beginning;
import dev.gossamer.pruned.pipeline.GridPlan;
import dev.gossamer.pruned.pipeline.GridPlan.Demand;
import dev.gossamer.pruned.pipeline.IterationRecord;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.Pruner;
import dev.gossamer.pruned.pipeline.RankGrid;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.run.LaunchSettings;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.MemoryEstimate;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Trains a network, prunes it during training, and continues with the surviving weights.
///
/// ```java
/// PrunedModel model =
///     PrunedTraining.on(Path.of("input.txt")).model("gpt-small").iterations(400).sparsity(0.9).run();
/// ```
///
/// Every setting has a default: that of its settings record. Instances are immutable: each method
/// returns a new one, so that variants can share a common base. The same settings, seed and grid of
/// ranks give bit-identical results for any number of threads.
public final class PrunedTraining {
  /// Creates the folder of a run, after all checks have passed.
  @FunctionalInterface
  public interface FolderMaker {
    /// Creates the folder, on the process of the first rank.
    ///
    /// @param data name of the training data
    /// @return the folder
    RunFolder make(String data);
  }

  /// What a run writes.
  ///
  /// @param trace number of iterations to trace
  /// @param folder creates the folder of the run; null for none
  /// @param resumed folder of the run that is continued; null for a new run
  /// @param place of the ranks, for planned seconds; null if nothing is known of the machines
  private record Output(
      int trace, @Nullable FolderMaker folder, @Nullable Path resumed, @Nullable RankPlace place) {
    static final Output NONE = new Output(0, null, null, null);
  }

  private final TrainingSource source;
  private final PrunedSettings settings;
  private final Output output;
  private final Watcher watcher;

  private PrunedTraining(
      TrainingSource source, PrunedSettings settings, Output output, Watcher watcher) {
    this.source = source;
    this.settings = settings;
    this.output = output;
    this.watcher = watcher;
  }

  private static PrunedTraining on(@Nullable Corpus corpus, @Nullable Path data) {
    return new PrunedTraining(
        new TrainingSource(corpus, data, null, null),
        PrunedSettings.DEFAULT,
        Output.NONE,
        Watcher.NOBODY);
  }

  /// Creates a training on an open corpus. The context length of a language model is the window of
  /// the corpus.
  ///
  /// @param corpus borrowed: the caller closes it, after the run
  /// @return the training
  public static PrunedTraining on(Corpus corpus) {
    return on(Objects.requireNonNull(corpus, "corpus: expected one, found null"), null);
  }

  /// Creates a training on a text file, a folder of texts, or a folder of images, which the run
  /// opens; see `docs/formats.md`.
  ///
  /// @param data file or folder
  /// @return the training
  public static PrunedTraining on(Path data) {
    return on(null, Objects.requireNonNull(data, "data: expected a path, found null"));
  }

  /// Creates a training on the built-in text: the declarations of the module `java.base` of the
  /// running JDK.
  ///
  /// @return the training
  public static PrunedTraining onJdkText() {
    return on(null, null);
  }

  private PrunedTraining with(TrainingSource other) {
    return new PrunedTraining(other, settings, output, watcher);
  }

  private PrunedTraining with(Output other) {
    return new PrunedTraining(source, settings, other, watcher);
  }

  private PrunedTraining with(Watcher other) {
    return new PrunedTraining(source, settings, output, other);
  }

  /// Replaces all settings.
  ///
  /// @param other the new settings
  /// @return the training with these settings
  public PrunedTraining settings(PrunedSettings other) {
    return new PrunedTraining(source, other, output, watcher);
  }

  /// Returns all settings.
  ///
  /// @return the settings
  public PrunedSettings settings() {
    return settings;
  }

  /// Sets the tokens of a text that the run opens; bytes by default. Refused for images, which have
  /// no tokens, and for an open corpus, which has its own.
  ///
  /// @param newTokens kind of tokens
  /// @return the training with this setting
  public PrunedTraining tokens(Tokens newTokens) {
    return with(source.with(newTokens));
  }

  /// Selects the network by name, with its default sizes.
  ///
  /// @param name one of [DenseArchitecture#NAMES]
  /// @return the training with this setting
  /// @throws InvalidSettingException if no network has this name
  public PrunedTraining model(String name) {
    return model(settings.model().withModel(name));
  }

  /// Sets the network. By default [ModelSettings#TEXTS] or [ModelSettings#IMAGES].
  ///
  /// @param other name and sizes
  /// @return the training with this setting
  public PrunedTraining model(ModelSettings other) {
    return settings(settings.withModel(other));
  }

  /// Starts from the parameters of a trained network (fine-tuning). Sizes and tokens are those of
  /// that network; of the model settings, only a shorter context length ([ModelSettings#length])
  /// and dropout may be set.
  ///
  /// @param trained in our layout or that of GPT-2, see [PrunedModel#open]
  /// @return the training with these initial parameters
  public PrunedTraining from(PrunedModel trained) {
    return with(source.with(trained));
  }

  /// Sets the number of iterations of the run; 300 by default.
  ///
  /// @param count at least 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if it is less than 1
  public PrunedTraining iterations(int count) {
    return iterations(settings.iterations().withIterations(count));
  }

  /// Sets all settings of iterations, evaluations and checkpoints.
  ///
  /// @param other the new settings of this kind
  /// @return the training with these settings
  public PrunedTraining iterations(IterationSettings other) {
    return settings(settings.withIterations(other));
  }

  /// Sets the maximum learning rate; by default that of the optimizer.
  ///
  /// @param rate more than 0
  /// @return the training with this setting
  public PrunedTraining learningRate(double rate) {
    return optimizer(settings.optimizer().withLearningRate(rate));
  }

  /// Sets all settings of the optimizer.
  ///
  /// @param other the new settings of this kind
  /// @return the training with these settings
  public PrunedTraining optimizer(OptimizerSettings other) {
    return settings(settings.withOptimizer(other));
  }

  /// Sets the fraction of all parameters that is pruned in the end; 0.7 by default.
  ///
  /// @param sparsity more than 0 and less than 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if it is not more than 0 and less than 1
  public PrunedTraining sparsity(double sparsity) {
    return pruning(settings.pruning().withSparsity(sparsity));
  }

  /// Sets when the network is pruned; step by step by default.
  ///
  /// @param when time of pruning
  /// @return the training with this setting
  public PrunedTraining prune(Pruning when) {
    return pruning(settings.pruning().withWhen(when));
  }

  /// Sets all settings of pruning: time, sparsity and criterion.
  ///
  /// @param other the new settings of this kind
  /// @return the training with these settings
  public PrunedTraining pruning(PruningSettings other) {
    return settings(settings.withPruning(other));
  }

  /// Sets the format of the parameters in products, and of gradients between replicas; bfloat16 by
  /// default.
  ///
  /// @param format float32 or one of 16 bits
  /// @return the training with this setting
  public PrunedTraining precision(NumberFormat format) {
    return storage(settings.storage().withPrecision(format));
  }

  /// Sets all settings of parameter storage.
  ///
  /// @param other the new settings of this kind
  /// @return the training with these settings
  public PrunedTraining storage(StorageSettings other) {
    return settings(settings.withStorage(other));
  }

  /// Sets the number of samples per iteration, over all ranks; 16 by default.
  ///
  /// @param samples at least 1
  /// @return the training with this setting
  public PrunedTraining batch(int samples) {
    return batches(settings.batches().withBatch(samples));
  }

  /// Sets the number of samples that a stage processes at a time; 4 by default.
  ///
  /// @param samples at least 1
  /// @return the training with this setting
  public PrunedTraining microbatch(int samples) {
    return batches(settings.batches().withMicrobatch(samples));
  }

  /// Sets all settings of the division of an iteration.
  ///
  /// @param other the new settings of this kind
  /// @return the training with these settings
  public PrunedTraining batches(BatchSettings other) {
    return settings(settings.withBatches(other));
  }

  /// Sets the number of ranks as threads of this process; 1 by default. Under a launcher such as
  /// `mpirun`, do not set it: its processes are the ranks, and every process calls the same
  /// methods.
  ///
  /// @param count at least 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if it is less than 1
  public PrunedTraining ranks(int count) {
    return ranks(settings.ranks().withCount(count));
  }

  /// Sets the number of ranks, and how they are connected.
  ///
  /// @param other the new settings of this kind
  /// @return the training with these settings
  public PrunedTraining ranks(LaunchSettings other) {
    return settings(settings.withRanks(other));
  }

  /// Sets the number of pipeline stages, 1 by default; the other ranks are replicas that share the
  /// batch.
  ///
  /// @param count at least 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if it is less than 1
  public PrunedTraining stages(int count) {
    InvalidSettingException.requireAtLeast("stages", count, 1);
    return settings(settings.withStages(count));
  }

  /// Uses the fewest stages that fit into the memory of the ranks. After pruning, the run continues
  /// with the fewest stages that then fit, and the freed ranks share the batch. Results are those
  /// of a run that is resumed at that point.
  ///
  /// @return the training with this setting
  public PrunedTraining automaticStages() {
    return settings(settings.withStages(PrunedSettings.AUTOMATIC_STAGES));
  }

  /// Sets the maximum memory of this process, by default the available memory. A run that would not
  /// fit is refused before it starts.
  ///
  /// @param bytes maximum memory in bytes
  /// @return the training with this setting
  public PrunedTraining memory(long bytes) {
    return machine(settings.machine().withMemory(bytes));
  }

  /// Sets the number of threads of this process, by default one per core. Results do not depend on
  /// it.
  ///
  /// @param count at least 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if it is less than 1
  public PrunedTraining threads(int count) {
    return machine(settings.machine().withThreads(count));
  }

  /// Sets all settings of threads and memory.
  ///
  /// @param other the new settings of this kind
  /// @return the training with these settings
  public PrunedTraining machine(PrunedMachineSettings other) {
    return settings(settings.withMachine(other));
  }

  /// Sets the seed of weights, samples and dropout; 0 by default.
  ///
  /// @param newSeed any number
  /// @return the training with this setting
  public PrunedTraining seed(long newSeed) {
    return settings(settings.withSeed(newSeed));
  }

  /// Writes a run folder into this folder: metrics, checkpoints, traffic, and the model in all its
  /// formats. By default, a run writes no files.
  ///
  /// @param parent created if it does not exist
  /// @return the training with this setting
  public PrunedTraining folder(Path parent) {
    return folder((String name) -> RunFolder.create(parent, name));
  }

  /// Continues the run in this folder from its checkpoint, with results bit-identical to an
  /// uninterrupted run if the settings are the same; only the grid of ranks may differ, which
  /// changes results by rounding.
  ///
  /// @param run folder of the run
  /// @return the training with this setting
  public PrunedTraining resume(Path run) {
    return with(new Output(output.trace(), name -> RunFolder.openBegun(run), run, output.place()));
  }

  /// Writes the files of the run into a folder that is created for it.
  ///
  /// @param maker creates the folder
  /// @return the training with this setting
  public PrunedTraining folder(FolderMaker maker) {
    return with(new Output(output.trace(), maker, output.resumed(), output.place()));
  }

  /// Traces the first iterations into a timeline, `trace.json` in the run folder; none by default.
  ///
  /// @param count at least 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if the number is less than 0
  public PrunedTraining trace(int count) {
    if (count < 0) {
      throw new InvalidSettingException("{trace}: expected at least 0 iterations, found " + count);
    }
    return with(new Output(count, output.folder(), output.resumed(), output.place()));
  }

  /// Plans the seconds of an iteration before the run starts, for its plan and its folder; by
  /// default they are not planned.
  ///
  /// @param place the placement of the ranks
  /// @return the training with this setting
  public PrunedTraining planned(RankPlace place) {
    return with(new Output(output.trace(), output.folder(), output.resumed(), place));
  }

  /// Sets a listener for the progress of reading the data.
  ///
  /// @param listener called with it
  /// @return the training with this setting
  public PrunedTraining onReading(ReadingProgress listener) {
    return with(watcher.with(listener));
  }

  /// Sets a listener for warnings, called on the first process before the run starts.
  ///
  /// @param listener called with each, one line
  /// @return the training with this setting
  public PrunedTraining onWarning(Consumer<String> listener) {
    return with(watcher.withWarnings(listener));
  }

  /// Sets a listener that receives the plan of the run before it starts, on every process.
  ///
  /// @param listener called with it
  /// @return the training with this setting
  public PrunedTraining onPlan(Consumer<RunPlan> listener) {
    return with(watcher.withPlans(listener));
  }

  /// Sets a listener that is called after each iteration, on the thread of the first rank.
  ///
  /// @param listener called with it
  /// @return the training with this setting
  public PrunedTraining onIteration(Consumer<IterationRecord> listener) {
    return with(watcher.withIterations(listener));
  }

  /// Sets a listener that learns how the weights of each parameter are distributed, after the first
  /// iteration and every so many: the surviving weights in float32, by the name of the parameter.
  /// Called on the thread of the first rank, after [#onIteration]. Every process of a run sets the
  /// same number, because the stages send what they count to the first rank: 10 KiB per parameter.
  ///
  /// @param every number of iterations between two calls
  /// @param listener called with the number of the iteration, from 1 on
  /// @return the training with this setting
  /// @throws InvalidSettingException if the number is less than 1
  public PrunedTraining onWeights(
      int every, BiConsumer<Integer, Map<String, WeightHistogram>> listener) {
    InvalidSettingException.requireAtLeast("every", every, 1);
    return with(watcher.with(new Watcher.Weights(every, listener)));
  }

  /// Sets a listener that the first rank calls when the pruned network continues with fewer stages,
  /// with the number of iterations and the new plan; see [#automaticStages].
  ///
  /// @param listener called with it
  /// @return the training with this setting
  public PrunedTraining onGrid(BiConsumer<Integer, RunPlan> listener) {
    return with(watcher.with(listener));
  }

  /// Ends the run after the current iteration when a condition becomes true, with a checkpoint if
  /// the run has a folder. Every rank evaluates the condition before each iteration; if it is true
  /// on one rank, all ranks end.
  ///
  /// @param asked the condition
  /// @return the training with this setting
  public PrunedTraining stopWhen(BooleanSupplier asked) {
    return with(watcher.with(asked));
  }

  /// Plans strategies for the given numbers of ranks, without training: unpruned, as configured,
  /// and with dense and sparse products of surviving weights, unless [StorageSettings#products]
  /// selects one of these. Covers every grid with [#automaticStages], otherwise the configured
  /// number of stages. Ignores this machine's rank, thread and memory settings.
  ///
  /// Vocabulary, image size and classes are those of the data, which are opened. For the text of
  /// the JDK, nothing is read unless its [#tokens] are set, and these values are those of the
  /// network's publication.
  ///
  /// @param places the placement of ranks, one for each number of ranks
  /// @return memory, messages and time of each strategy
  /// @throws InvalidSettingException if settings do not fit each other or the data, or there is no
  ///   grid for any of these numbers of ranks
  /// @throws dev.gossamer.base.InvalidInputException if the data cannot be read
  public PrunedPlan plan(List<RankPlace> places) {
    return planning().strategies(places);
  }

  /// Plans the run as configured, without training. The data are opened.
  ///
  /// @param place the placement of the configured number of ranks
  /// @return memory, messages and time
  /// @throws InvalidSettingException if settings do not fit each other or the data
  /// @throws dev.gossamer.base.InvalidInputException if the data cannot be read
  public PrunedPlan planAsSet(RankPlace place) {
    return planning().asSet(place);
  }

  private PrunedPlanning planning() {
    return new PrunedPlanning(source, settings, watcher.reading());
  }

  /// Trains to the end.
  ///
  /// @return the model
  /// @throws InvalidSettingException if settings do not fit each other, the data or the memory
  /// @throws dev.gossamer.base.InvalidInputException if the data, a mask or a checkpoint cannot be
  ///   read
  /// @throws TrainingFailedException if the loss was not finite, or the run was stopped before its
  ///   end
  /// @throws dev.gossamer.comm.RankFailedException if a rank failed, whose exception is the cause
  /// @throws IllegalStateException if this process does not have the first rank; see [#train]
  public PrunedModel run() {
    PrunedResult run = train();
    if (run.result().interrupted()) {
      throw new TrainingFailedException(
          "stopped after iteration %d of %d"
              .formatted(run.result().iterations(), settings.iterations().iterations()));
    }
    if (run.model() == null) {
      throw new IllegalStateException("the first rank has the model; this process has another");
    }
    return run.model();
  }

  /// Trains to the end or until the run is stopped, and returns a report. Call it on every process
  /// of the run.
  ///
  /// @return how the run ended
  /// @throws InvalidSettingException if settings do not fit each other, the data or the memory
  /// @throws dev.gossamer.base.InvalidInputException if the data, a mask or a checkpoint cannot be
  ///   read
  /// @throws TrainingFailedException if the loss was not finite
  /// @throws dev.gossamer.comm.RankFailedException if a rank failed, whose exception is the cause
  public PrunedResult train() {
    if (output.trace() > 0 && output.folder() == null) {
      throw new InvalidSettingException("{trace}: expected a run with a folder, found one without");
    }
    return source.open(settings.model(), watcher.reading(), this::train);
  }

  private PrunedResult train(Corpus from) {
    if (output.resumed() != null) {
      mend(RunFolder.openBegun(output.resumed()));
    }
    DenseArchitecture architecture = source.architecture(settings.model(), from);
    PrunedJob job = PrunedJob.of(settings, architecture, source.memory(from), output.resumed());
    Demand demand = job.demand();
    RankGrid grid = job.grid(demand, job.limit());
    List<StagePart> parts = job.grids().stages(grid);
    Pruner.requirePossible(job.pruning(), parts.getFirst());
    MemoryEstimate estimate = GridPlan.largest(parts, demand);
    requireFits(estimate, job.limit(), parts.size());
    RankLaunch launch = settings.ranks().launch();
    FolderMaker folder = output.folder();
    RunPlan plan =
        new RunPlan(
            new RunPlan.Data(from.name(), from.description(), from.labelsPerSample()),
            architecture,
            parts,
            new RunPlan.PerRank(
                estimate,
                job.threads(),
                launch.ranksOfProcess(),
                output.place() == null ? null : job.way().seconds(grid, output.place())),
            folder == null || !launch.isFirstProcess() ? null : folder.make(from.name()).path());
    watcher.plans().accept(plan);
    PrunedModel start = source.start();
    return new PipelineRun(
            plan,
            from,
            launch,
            new PipelineRun.Choices(
                settings.pruning(),
                job.pruning(),
                job.training(),
                start == null ? null : start.tensors()),
            watcher,
            output.trace())
        .run();
  }

  private void mend(RunFolder folder) {
    Optional<String> damage = Beginning.mend(folder);
    if (settings.ranks().launch().isFirstProcess()) {
      damage.ifPresent(what ->
          watcher.warnings().accept(what + "; the run resumes from the checkpoint before it"));
    }
  }

  private static void requireFits(MemoryEstimate estimate, long limit, int stages) {
    if (estimate.bytes() > limit) {
      throw new InvalidSettingException(
          "memory: a rank needs %s with {stages} %d but %s may be used; use a larger {stages}, a smaller {microbatch}, or {checkpointActivations}"
              .formatted(
                  MemoryEstimate.readable(estimate.bytes()),
                  stages,
                  MemoryEstimate.readable(limit)));
    }
  }
}
