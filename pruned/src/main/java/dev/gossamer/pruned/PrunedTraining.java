package dev.gossamer.pruned;

import static java.util.stream.Collectors.joining;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.pruned.PlannedRun.Compute;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.CorpusMemory;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.TextCorpus;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.layers.Architecture;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.Beginning;
import dev.gossamer.pruned.pipeline.Grid;
import dev.gossamer.pruned.pipeline.GridPlan;
import dev.gossamer.pruned.pipeline.GridPlan.Demand;
import dev.gossamer.pruned.pipeline.IterationRecord;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.IterationSettings.Keep;
import dev.gossamer.pruned.pipeline.PipelineSettings;
import dev.gossamer.pruned.pipeline.PipelineTraining;
import dev.gossamer.pruned.pipeline.Pruner;
import dev.gossamer.pruned.pipeline.PruningChoice;
import dev.gossamer.pruned.pipeline.SmallerGrid;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.pruned.pipeline.StateSettings;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.TrainingFailedException;
import dev.gossamer.run.memory.MemoryEstimate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
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

  private static final int AUTOMATIC = 0;

  /// Tolerance between the sparsity of a mask and the requested sparsity: one element of a million.
  private static final double ROUNDING = 1e-6;

  private final @Nullable Corpus corpus;
  private final @Nullable Path data;
  private @Nullable Tokens tokens;
  private ModelSettings model = ModelSettings.DEFAULT;
  private @Nullable PrunedModel start;
  private IterationSettings iterations = IterationSettings.DEFAULT;
  private OptimizerSettings optimizer = OptimizerSettings.DEFAULT;
  private PruningSettings pruning = PruningSettings.DEFAULT;
  private StorageSettings storage = StorageSettings.DEFAULT;
  private BatchSettings batches = BatchSettings.DEFAULT;
  private MachineSettings machine = MachineSettings.DEFAULT;
  private RankLaunch launch = RankLaunch.of(1);
  private int stages = 1;
  private long seed;
  private int trace;
  private @Nullable FolderMaker folder;
  private @Nullable Path resumed;
  private ReadingProgress reading = ReadingProgress.SILENT;
  private Consumer<RunPlan> planListener = plan -> {};
  private Consumer<IterationRecord> iterationListener = iteration -> {};
  private BiConsumer<Integer, RunPlan> gridListener = (done, plan) -> {};
  private BooleanSupplier stop = () -> false;

  private PrunedTraining(@Nullable Corpus corpus, @Nullable Path data) {
    this.corpus = corpus;
    this.data = data;
  }

  /// Creates a training on an open corpus. The context length of a language model is the window of
  /// the corpus.
  ///
  /// @param corpus borrowed: the caller closes it, after the run
  /// @return the training
  public static PrunedTraining on(Corpus corpus) {
    return new PrunedTraining(
        Objects.requireNonNull(corpus, "corpus: expected one, found null"), null);
  }

  /// Creates a training on a text file, a folder of texts, or a folder of images, which the run
  /// opens; see `docs/formats.md`.
  ///
  /// @param data file or folder
  /// @return the training
  public static PrunedTraining on(Path data) {
    return new PrunedTraining(
        null, Objects.requireNonNull(data, "data: expected a path, found null"));
  }

  /// Creates a training on the built-in text: the declarations of the module `java.base` of the
  /// running JDK.
  ///
  /// @return the training
  public static PrunedTraining onJdkText() {
    return new PrunedTraining(null, null);
  }

  private PrunedTraining with(Consumer<PrunedTraining> change) {
    PrunedTraining copy = new PrunedTraining(corpus, data);
    copy.tokens = tokens;
    copy.model = model;
    copy.start = start;
    copy.iterations = iterations;
    copy.optimizer = optimizer;
    copy.pruning = pruning;
    copy.storage = storage;
    copy.batches = batches;
    copy.machine = machine;
    copy.launch = launch;
    copy.stages = stages;
    copy.seed = seed;
    copy.trace = trace;
    copy.folder = folder;
    copy.resumed = resumed;
    copy.reading = reading;
    copy.planListener = planListener;
    copy.iterationListener = iterationListener;
    copy.gridListener = gridListener;
    copy.stop = stop;
    change.accept(copy);
    return copy;
  }

  /// Sets the tokens of a text that the run opens; bytes by default. Refused for images, which have
  /// no tokens, and for an open corpus, which has its own.
  ///
  /// @param newTokens kind of tokens
  /// @return the training with this setting
  public PrunedTraining tokens(Tokens newTokens) {
    return with(t -> t.tokens = newTokens);
  }

  /// Selects the network by name, with its default sizes.
  ///
  /// @param name one of [Architecture#NAMES]
  /// @return the training with this setting
  /// @throws InvalidSettingException if there is none of this name
  public PrunedTraining model(String name) {
    return model(model.withModel(name));
  }

  /// Sets the network. By default [ModelSettings#TEXTS] or [ModelSettings#IMAGES].
  ///
  /// @param settings name and sizes
  /// @return the training with this setting
  public PrunedTraining model(ModelSettings settings) {
    return with(t -> t.model = settings);
  }

  /// Starts from the parameters of a trained network (fine-tuning). Sizes and tokens are those of
  /// that network; of the model settings, only a shorter context length ([ModelSettings#length])
  /// and dropout may be set.
  ///
  /// @param trained in our layout or that of GPT-2, see [PrunedModel#open]
  /// @return the training with these initial parameters
  public PrunedTraining from(PrunedModel trained) {
    return with(t -> t.start = trained);
  }

  /// Sets the number of iterations of the run; 300 by default.
  ///
  /// @param count at least 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if there is none
  public PrunedTraining iterations(int count) {
    return iterations(iterations.withIterations(count));
  }

  /// Sets all settings of iterations, evaluations and checkpoints.
  ///
  /// @param settings replaces all current settings of this kind
  /// @return the training with these settings
  public PrunedTraining iterations(IterationSettings settings) {
    return with(t -> t.iterations = settings);
  }

  /// Sets the maximum learning rate; by default that of the optimizer.
  ///
  /// @param rate more than 0
  /// @return the training with this setting
  public PrunedTraining learningRate(double rate) {
    return optimizer(optimizer.withLearningRate(rate));
  }

  /// Sets all settings of the optimizer.
  ///
  /// @param settings replaces all current settings of this kind
  /// @return the training with these settings
  public PrunedTraining optimizer(OptimizerSettings settings) {
    return with(t -> t.optimizer = settings);
  }

  /// Sets the fraction of all parameters that is pruned in the end; 0.7 by default.
  ///
  /// @param share more than 0 and less than 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if it is not more than 0 and less than 1
  public PrunedTraining sparsity(double share) {
    return pruning(pruning.withSparsity(share));
  }

  /// Sets when the network is pruned; step by step by default.
  ///
  /// @param when time of pruning
  /// @return the training with this setting
  public PrunedTraining prune(PruningSettings.When when) {
    return pruning(pruning.withWhen(when));
  }

  /// Sets all settings of pruning: when, how much, and what survives.
  ///
  /// @param settings replaces all current settings of this kind
  /// @return the training with these settings
  public PrunedTraining pruning(PruningSettings settings) {
    return with(t -> t.pruning = settings);
  }

  /// Sets the format of the parameters that products read, and of gradients between replicas;
  /// bfloat16 by default.
  ///
  /// @param format float32 or one of 16 bits
  /// @return the training with this setting
  public PrunedTraining precision(NumberFormat format) {
    return storage(storage.withPrecision(format));
  }

  /// Sets all settings of parameter storage.
  ///
  /// @param settings replaces all current settings of this kind
  /// @return the training with these settings
  public PrunedTraining storage(StorageSettings settings) {
    return with(t -> t.storage = settings);
  }

  /// Sets the number of samples per iteration, over all ranks; 16 by default.
  ///
  /// @param samples at least 1
  /// @return the training with this setting
  public PrunedTraining batch(int samples) {
    return batches(batches.withBatch(samples));
  }

  /// Sets the number of samples that a stage processes at a time; 4 by default.
  ///
  /// @param samples at least 1
  /// @return the training with this setting
  public PrunedTraining microbatch(int samples) {
    return batches(batches.withMicrobatch(samples));
  }

  /// Sets all settings of the division of an iteration.
  ///
  /// @param settings replaces all current settings of this kind
  /// @return the training with these settings
  public PrunedTraining batches(BatchSettings settings) {
    return with(t -> t.batches = settings);
  }

  /// Sets the number of ranks as threads of this process; 1 by default. Under a launcher such as
  /// `mpirun`, do not set it: its processes are the ranks, and every process calls the same
  /// methods.
  ///
  /// @param count at least 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if there is none
  public PrunedTraining ranks(int count) {
    return launch(RankLaunch.of(count));
  }

  /// Sets how ranks are launched: as threads, or as the processes that `mpirun` has started.
  ///
  /// @param ranks of the run
  /// @return the training with this setting
  public PrunedTraining launch(RankLaunch ranks) {
    return with(t -> t.launch = ranks);
  }

  /// Sets the number of pipeline stages, 1 by default; the other ranks are replicas that share the
  /// batch.
  ///
  /// @param count at least 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if there is none
  public PrunedTraining stages(int count) {
    InvalidSettingException.requireAtLeast("stages", count, 1);
    return with(t -> t.stages = count);
  }

  /// Uses the fewest stages whose ranks stay within their memory. Once the network is pruned, it
  /// continues with the fewest stages that then fit, and the freed ranks share the batch. Results
  /// are those of a run that is resumed at that point.
  ///
  /// @return the training with this setting
  public PrunedTraining automaticStages() {
    return with(t -> t.stages = AUTOMATIC);
  }

  /// Sets the maximum memory of this process, by default the available memory. A run that would not
  /// fit is refused before it starts.
  ///
  /// @param bytes maximum memory in bytes
  /// @return the training with this setting
  public PrunedTraining memory(long bytes) {
    return machine(machine.withMemory(bytes));
  }

  /// Sets the number of threads of this process, by default one per core. Results do not depend on
  /// it.
  ///
  /// @param count at least 1
  /// @return the training with this setting
  /// @throws InvalidSettingException if there is none
  public PrunedTraining threads(int count) {
    return machine(machine.withThreads(count));
  }

  /// Sets all settings of threads and memory.
  ///
  /// @param settings replaces all current settings of this kind
  /// @return the training with these settings
  public PrunedTraining machine(MachineSettings settings) {
    return with(t -> t.machine = settings);
  }

  /// Sets the seed of weights, samples and dropout; 0 by default.
  ///
  /// @param newSeed any number
  /// @return the training with this setting
  public PrunedTraining seed(long newSeed) {
    return with(t -> t.seed = newSeed);
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
    return folder((String name) -> RunFolder.openBegun(run)).with(t -> t.resumed = run);
  }

  /// Writes the files of the run into a folder that is created for it.
  ///
  /// @param maker creates the folder
  /// @return the training with this setting
  public PrunedTraining folder(FolderMaker maker) {
    return with(t -> t.folder = maker);
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
    return with(t -> t.trace = count);
  }

  /// Sets a listener for the progress of reading the data.
  ///
  /// @param listener called with it
  /// @return the training with this setting
  public PrunedTraining onReading(ReadingProgress listener) {
    return with(t -> t.reading = listener);
  }

  /// Sets a listener that receives the plan of the run before it starts, on every process.
  ///
  /// @param listener called with it
  /// @return the training with this setting
  public PrunedTraining onPlan(Consumer<RunPlan> listener) {
    return with(t -> t.planListener = listener);
  }

  /// Sets a listener that is called after each iteration, on the thread of the first rank.
  ///
  /// @param listener called with it
  /// @return the training with this setting
  public PrunedTraining onIteration(Consumer<IterationRecord> listener) {
    return with(t -> t.iterationListener = listener);
  }

  /// Sets a listener that the first rank calls when the pruned network continues with fewer stages,
  /// with the number of iterations and the new plan; see [#automaticStages].
  ///
  /// @param listener called with it
  /// @return the training with this setting
  public PrunedTraining onGrid(BiConsumer<Integer, RunPlan> listener) {
    return with(t -> t.gridListener = listener);
  }

  /// Ends the run, with a checkpoint if it has a folder, after the iteration in which this becomes
  /// true. Every rank evaluates it before each iteration; if it is true on one rank, all end.
  ///
  /// @param asked whether to end
  /// @return the training with this setting
  public PrunedTraining stopWhen(BooleanSupplier asked) {
    return with(t -> t.stop = asked);
  }

  /// Plans how to train the network on the given numbers of ranks, without training: with all
  /// parameters, as configured, with dense products of surviving weights and with sparse ones,
  /// unless [StorageSettings#products] selects one of these; on every grid with [#automaticStages],
  /// otherwise with the configured number of stages. Ignores this machine's rank, thread and memory
  /// settings.
  ///
  /// Vocabulary, image size and classes are those of the data, which are opened. For the text of
  /// the JDK, nothing is read unless its [#tokens] are set, and these values are those of the
  /// network's publication.
  ///
  /// @param places the placement of ranks, one for each number of ranks
  /// @return memory, messages and time of each strategy
  /// @throws InvalidSettingException if settings do not fit each other or the data, or there is no
  ///   grid for any of these numbers of ranks
  /// @throws dev.gossamer.matrix.io.InvalidInputException if the data cannot be read
  public PrunedPlan plan(List<RankPlace> places) {
    return corpus == null && data == null && tokens == null
        ? plan(published(), null, places)
        : withCorpus(opened -> plan(architecture(opened), opened, places));
  }

  private PrunedPlan plan(
      Architecture architecture, @Nullable Corpus opened, List<RankPlace> places) {
    Map<Compute, PlannedWay> ways = new EnumMap<>(Compute.class);
    for (PrunedTraining each : ways()) {
      PlannedWay way = each.way(architecture, opened);
      ways.putIfAbsent(way.compute(), way);
    }
    List<PlannedRun> runs = new ArrayList<>();
    for (RankPlace place : places) {
      for (PlannedWay way : ways.values()) {
        for (PipelineSettings settings : way.settings(place)) {
          if (stages == AUTOMATIC || settings.grid().inter() == stages) {
            runs.add(way.on(settings.grid(), place));
          }
        }
      }
    }
    if (runs.isEmpty()) {
      throw noGrid(places);
    }
    runs.sort(
        Comparator.comparing((PlannedRun run) -> !run.fits())
            .thenComparingDouble(PlannedRun::seconds)
            .thenComparingLong(run -> run.last().memory().bytes())
            .thenComparingInt(run -> run.place().ranks()));
    return described(opened == null ? null : opened.description(), runs, ways.values());
  }

  private InvalidSettingException noGrid(List<RankPlace> places) {
    return new InvalidSettingException(
        "{ranks}: expected stages x replicas that share {batch} %d in microbatches of %d%s, found %s"
            .formatted(
                batches.batch(),
                batches.microbatch(),
                stages == AUTOMATIC ? "" : ", with {stages} " + stages,
                places.stream().map(place -> "" + place.ranks()).collect(joining(", "))));
  }

  /// Plans the run as configured, without training. The data are opened.
  ///
  /// @param place the placement of the configured number of ranks
  /// @return memory, messages and time
  /// @throws InvalidSettingException if settings do not fit each other or the data
  /// @throws dev.gossamer.matrix.io.InvalidInputException if the data cannot be read
  public PrunedPlan planAsSet(RankPlace place) {
    return withCorpus(opened -> {
      PlannedWay way = way(architecture(opened), opened);
      PlannedRun run = way.on(grid(way.grids(), way.demand(place), place.memory()), place);
      return described(opened.description(), List.of(run), List.of(way));
    });
  }

  private static PrunedPlan described(
      @Nullable String description, List<PlannedRun> runs, Collection<PlannedWay> ways) {
    GridPlan grids = ways.iterator().next().grids();
    return new PrunedPlan(
        description,
        grids.network(),
        grids.state().format(),
        ways.stream().mapToDouble(way -> way.shares().getLast()).max().orElse(0),
        runs);
  }

  /// Variants of pruning and computing, simplest first; several may be equivalent.
  private List<PrunedTraining> ways() {
    if (pruning.when() instanceof PruningSettings.Never || storage.products() != Products.AUTO) {
      return List.of(this);
    }
    List<PrunedTraining> ways = new ArrayList<>(List.of(prune(new PruningSettings.Never())));
    if (pruning.criterion() == null || !pruning.criterion().isStructural()) {
      ways.add(storage(storage.withProducts(Products.DENSE)));
      if (storage.index() == null && storage.downCast() == null) {
        ways.add(storage(storage.withProducts(Products.SPARSE)));
      }
    }
    ways.add(this);
    return ways;
  }

  private PlannedWay way(Architecture architecture, @Nullable Corpus opened) {
    GridPlan grids = gridPlan(architecture);
    PruningChoice when = pruning.over(iterations.iterations(), grids.network(), storage);
    List<Double> shares = shares(when, grids.network());
    return new PlannedWay(grids, when, shares, machine, memory(opened));
  }

  /// Memory that a process needs for the data.
  ///
  /// @param opened null if they are not read
  private CorpusMemory memory(@Nullable Corpus opened) {
    CorpusMemory memory = opened == null ? CorpusMemory.NONE : opened.memory();
    return corpus == null && data == null ? memory.plus(Corpora.JDK_TEXT_BYTES) : memory;
  }

  /// Trains to the end.
  ///
  /// @return the model
  /// @throws InvalidSettingException if settings do not fit each other, the data or the memory
  /// @throws dev.gossamer.matrix.io.InvalidInputException if the data, a mask or a checkpoint
  ///   cannot be read
  /// @throws TrainingFailedException if the run was stopped before its end
  /// @throws dev.gossamer.comm.RankFailedException if a rank failed, with what it threw as the
  ///   cause: [TrainingFailedException] if the loss was not finite
  /// @throws IllegalStateException if this process does not have the first rank; see [#train]
  public PrunedModel run() {
    PrunedRun run = train();
    if (run.result().interrupted()) {
      throw new TrainingFailedException(
          "stopped after iteration %d of %d"
              .formatted(run.result().iterations(), iterations.iterations()));
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
  /// @throws dev.gossamer.matrix.io.InvalidInputException if the data, a mask or a checkpoint
  ///   cannot be read
  /// @throws dev.gossamer.comm.RankFailedException if a rank failed, with what it threw as the
  ///   cause: [TrainingFailedException] if the loss was not finite
  public PrunedRun train() {
    if (trace > 0 && folder == null) {
      throw new InvalidSettingException("{trace}: expected a run with a folder, found one without");
    }
    return withCorpus(this::train);
  }

  /// Opens the training data for the duration of a call.
  private <R> R withCorpus(Function<Corpus, R> use) {
    if (corpus != null) {
      if (tokens != null) {
        throw new InvalidSettingException(
            "{tokens}: expected none for a corpus that is open, found " + tokens);
      }
      return use.apply(corpus);
    }
    int window = start == null ? model.window() : published().network(0).input().height();
    Tokens cut = start == null ? tokens == null ? new Tokens.Bytes() : tokens : start.tokens();
    if (start != null && tokens != null) {
      throw new InvalidSettingException(
          "{tokens}: expected none with {from}, which has its own, found " + tokens);
    }
    try (Corpus opened =
        data == null
            ? Corpora.jdkText(cut, window, reading)
            : Corpora.open(data, cut, window, reading)) {
      if (tokens != null && !(opened instanceof TextCorpus)) {
        throw new InvalidSettingException(
            "{tokens}: expected none for the images of %s, found %s"
                .formatted(opened.name(), tokens));
      }
      return use.apply(opened);
    }
  }

  private PrunedRun train(Corpus from) {
    Architecture architecture = architecture(from);
    GridPlan grids = gridPlan(architecture);
    LayerNetwork network = grids.network();
    PruningChoice when = pruning.over(iterations.iterations(), network, storage);
    int threads = machine.threadsOfRank(launch);
    CorpusMemory taken = machine.takenOfRank(memory(from), launch.ranksOfProcess());
    Demand demand = new Demand(when, shares(when, network), threads, taken);
    PipelineTraining.Settings training =
        new PipelineTraining.Settings(
            iterations,
            optimizer.schedule(isText(architecture), iterations.iterations()),
            stages == AUTOMATIC
                ? new SmallerGrid(grids, threads, machine.memoryOfRank(launch) - taken.held())
                : null);
    List<StagePart> parts = grids.stages(grid(grids, demand, machine.memoryOfRank(launch)));
    Pruner.requirePossible(when, parts.getFirst());
    MemoryEstimate estimate = GridPlan.largest(parts, demand);
    requireFits(estimate, parts.size());
    RunPlan plan =
        new RunPlan(
            new RunPlan.Data(from.name(), from.description(), from.labelsPerSample()),
            architecture,
            parts,
            new RunPlan.PerRank(estimate, threads),
            folder == null || !launch.isFirstProcess() ? null : folder.make(from.name()).path());
    planListener.accept(plan);
    return new TrainingRun(
            plan,
            from,
            launch,
            new TrainingRun.Choices(
                pruning, when, training, start == null ? null : start.tensors()),
            new TrainingRun.Watcher(iterationListener, gridListener, stop),
            trace)
        .run();
  }

  /// The network for a corpus.
  private Architecture architecture(Corpus from) {
    if (start == null) {
      return model.on(from);
    }
    Architecture architecture = published();
    start.requireFitting(from, architecture.network(0));
    return architecture;
  }

  /// The network if no data are open.
  private Architecture published() {
    return start == null ? model.published() : model.from(start.architecture());
  }

  private static boolean isText(Architecture architecture) {
    return architecture instanceof Architecture.Text;
  }

  private GridPlan gridPlan(Architecture architecture) {
    StateSettings state =
        new StateSettings(
            storage,
            optimizer.rule(isText(architecture)),
            pruning.leavesBlocks(),
            iterations.keep() == Keep.BEST);
    return new GridPlan(architecture.network(seed), state, batches, seed);
  }

  /// The fractions of the network that are pruned; for a resumed run, from that point on.
  private List<Double> shares(PruningChoice when, LayerNetwork network) {
    double before =
        resumed == null ? 0 : Beginning.prunedShare(network, RunFolder.openBegun(resumed));
    List<Double> all = when.shares();
    if (before == 0) {
      return all;
    }
    List<Double> left = new ArrayList<>(List.of(before));
    all.stream().filter(share -> share > before + ROUNDING).forEach(left::add);
    return left;
  }

  private Grid grid(GridPlan plan, Demand demand, long limit) {
    int ranks = launch.ranks();
    plan.requireTravelling(stages == AUTOMATIC ? ranks : stages);
    if (stages == AUTOMATIC) {
      return plan.fewestStages(ranks, demand, limit);
    }
    if (ranks % stages != 0) {
      throw new InvalidSettingException(
          "{stages}: expected a divisor of %d ranks, found %d".formatted(ranks, stages));
    }
    return new Grid(stages, ranks / stages);
  }

  private void requireFits(MemoryEstimate estimate, int inter) {
    long limit = machine.memoryOfRank(launch);
    if (estimate.bytes() > limit) {
      throw new InvalidSettingException(
          "memory: a rank needs %s with {stages} %d but %s may be used; use a larger {stages}, a smaller {microbatch}, or {checkpointActivations}"
              .formatted(
                  MemoryEstimate.readable(estimate.bytes()),
                  inter,
                  MemoryEstimate.readable(limit)));
    }
  }
}
