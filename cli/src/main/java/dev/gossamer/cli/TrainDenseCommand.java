package dev.gossamer.cli;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Link;
import dev.gossamer.comm.ThreadOptions;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.trace.Timeline;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.layers.DenseNetwork;
import dev.gossamer.pruned.pipeline.DenseModel;
import dev.gossamer.pruned.pipeline.DensePlan;
import dev.gossamer.pruned.pipeline.DenseTraining;
import dev.gossamer.pruned.pipeline.Grid;
import dev.gossamer.pruned.pipeline.PipelineTrainer;
import dev.gossamer.pruned.pipeline.Pruner;
import dev.gossamer.pruned.pipeline.Pruning;
import dev.gossamer.pruned.pipeline.RunSummary;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.pruned.pipeline.StateSettings;
import dev.gossamer.run.RankLog;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.SystemCores;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "train-dense",
    description = {
      "Train a dense network, prune it while it learns, and go on with the state of the survivors alone.",
      "",
    },
    sortOptions = false,
    showDefaultValues = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer train-dense",
      "      a small language model on the signatures of the running JDK, pruned to 90 %% on the way",
      "  gossamer train-dense --data tinyshakespeare/input.txt --model gpt-small --iterations 1000",
      "      bytes of a text; --prune none trains the dense network for comparison",
      "  gossamer train-dense --data mnist/ --model vgg-mnist --batch 128 --microbatch 32",
      "      images, pruned by magnitude; --criterion channels prunes by the scales of batch normalisation",
      "  gossamer train-dense --ranks 4 --inter 2 --link 30us,0.8ns --trace",
      "      two replicas of a pipeline of two stages over an imitated network of 10 Gbit/s",
      "  gossamer train-dense --model gpt-2.7b --plan --ranks 64 --memory-per-rank 16g",
      "      what a rank would take, dense and pruned, for each number of stages; nothing is trained",
      "  gossamer train-dense --resume runs/20260131-101500-jdk",
      "      continue an interrupted run to the bits of an uninterrupted one",
    })
final class TrainDenseCommand implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();
  @Mixin CorpusOptions data = new CorpusOptions();
  @Mixin DenseModelOptions model = new DenseModelOptions();
  @Mixin IterationOptions iterations = new IterationOptions();
  @Mixin PruneOptions prune = new PruneOptions();
  @Mixin PipelineOptions pipeline = new PipelineOptions();
  @Mixin MachineOptions machine = new MachineOptions();
  @Mixin LaunchOptions ranks = new LaunchOptions();
  @Mixin RunOptions runs = new RunOptions();

  @Option(
      names = "--precision",
      paramLabel = "FORMAT",
      defaultValue = "bf16",
      description =
          "Parameters and gradients: bf16 or fp16 (with a dynamic scale of the loss) beside float32 masters,"
              + " or fp32 (default: ${DEFAULT-VALUE}).")
  String precision = "bf16";

  @Option(
      names = "--evaluate-every",
      paramLabel = "N",
      defaultValue = "50",
      description = "Iterations between two evaluations (default: ${DEFAULT-VALUE}).")
  int evaluateEvery = 50;

  @Option(
      names = "--evaluate-samples",
      paramLabel = "N",
      defaultValue = "256",
      description =
          "Samples of the validation part that an evaluation looks at, at most (default: ${DEFAULT-VALUE}).")
  long evaluateSamples = 256;

  @Option(
      names = "--checkpoint-every",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Iterations between two checkpoints; 0 for one at the end or when interrupted (default: ${DEFAULT-VALUE}).")
  int checkpointEvery;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Seed of weights, samples and dropout; the same seed gives the same bits (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(
      names = "--plan",
      description = "Print what each number of stages would take of memory, and train nothing.")
  boolean plan;

  @Option(
      names = "--trace",
      paramLabel = "K",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "5",
      description =
          "Write trace.json into the run's folder: which microbatch each stage worked on when, in the first K"
              + " iterations (${FALLBACK-VALUE} without a number; default: none). Opens in ui.perfetto.dev.")
  int trace;

  @Override
  public Integer call() {
    ThreadOptions threadOptions = ranks.threadOptions();
    if (trace < 0) {
      throw new InvalidInputException("--trace: expected at least 0 iterations, found " + trace);
    }
    if (plan) {
      return plan();
    }
    try (Corpus corpus = data.open(model.length(), common.quiet || !ranks.isFirstProcess())) {
      DenseNetwork network = model.network(corpus, seed);
      Pruning pruning = prune.pruning(iterations.iterations, network);
      StateSettings state = stateSettings(network);
      DenseTraining.Settings training = trainingSettings(network);
      List<StagePart> parts = parts(network, state);
      Pruner.requirePossible(pruning, prune.criterion, prune.sparsity, parts.getFirst());
      MemoryEstimate estimate = DensePlan.largest(parts, sharePruned(), threads());
      requireFits(estimate, parts);
      RunFolder folder = runFolder(corpus);
      DenseReport report = new DenseReport(corpus, parts, estimate, ranks.link, folder, common);
      if (ranks.isFirstProcess()) {
        report.begin(spec.commandLine().getErr());
      }
      Run run = new Run(corpus, parts, pruning, training, threadOptions.link(), folder, report);
      AtomicInteger status = new AtomicInteger();
      ranks.run(
          threadOptions,
          world -> {
            int result = train(world, run);
            if (world.rank() == 0) {
              status.set(result);
            }
          });
      return status.get();
    }
  }

  /// What all ranks of a run share.
  private record Run(
      Corpus corpus,
      List<StagePart> parts,
      Pruning pruning,
      DenseTraining.Settings training,
      @Nullable Link link,
      RunFolder folder,
      DenseReport report) {}

  /// Trains on one rank.
  ///
  /// @return exit status
  private int train(Communicator world, Run run) {
    boolean first = world.rank() == 0;
    RunFolder folder = agreed(world, run.folder());
    RankLog log = RankLog.of(world, Timeline.ofEpochs(trace), !ranks.underLauncher());
    CountDownLatch finished = new CountDownLatch(1);
    Grid grid = run.parts().getFirst().settings().grid();
    StagePart part = run.parts().get(grid.stage(world.rank()));
    try (Workers workers = new Workers(threads());
        PipelineTrainer trainer =
            new PipelineTrainer(world, part, run.corpus(), workers, log.timeline(), run.link())) {
      Pruner pruner = new Pruner(run.pruning(), prune.criterion, prune.sparsity, trainer);
      DenseTraining.Result result;
      try (ProgressLine progress =
          new ProgressLine(
              "training", "iterations", iterations.iterations, common.quiet || !first)) {
        DenseTraining training =
            new DenseTraining(
                trainer,
                pruner,
                run.training(),
                folder,
                first,
                record -> {
                  log.epoch(record.number(), record.result().sent());
                  progress.update(record.number(), message(record));
                });
        TrainCommand.stopWhenTold(training::requestStop, finished);
        result = training.run();
      }
      log.write(folder);
      if (result.interrupted()) {
        if (first) {
          sayInterrupted(result, folder);
        }
        return TrainCommand.INTERRUPTED;
      }
      RunSummary summary = RunSummary.of(trainer, pruner, result.records());
      DenseModel.write(folder, trainer, description(run));
      if (first) {
        CorpusOptions.writeTokens(folder, run.corpus());
        run.report()
            .end(
                spec.commandLine().getOut(),
                new DenseReport.Outcome(
                    result,
                    summary,
                    pruner.ticket(),
                    pruner.isAtRest(),
                    percentOfPeak(part, summary, workers)));
      }
      return 0;
    } finally {
      finished.countDown();
    }
  }

  /// The first process' folder, into which every stage writes its part of a checkpoint.
  private RunFolder agreed(Communicator world, RunFolder mine) {
    if (!ranks.underLauncher()) {
      return mine;
    }
    byte[] path = mine.path().toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment length = arena.allocate(ValueLayout.JAVA_LONG);
      length.set(ValueLayout.JAVA_LONG, 0, path.length);
      world.broadcast(0, length);
      MemorySegment bytes = arena.allocate(length.get(ValueLayout.JAVA_LONG, 0));
      if (world.rank() == 0) {
        bytes.copyFrom(MemorySegment.ofArray(path));
      }
      world.broadcast(0, bytes);
      return new RunFolder(
          Path.of(new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)));
    }
  }

  private void sayInterrupted(DenseTraining.Result result, RunFolder folder) {
    spec.commandLine()
        .getErr()
        .printf(
            "gossamer: interrupted after iteration %d; continue with: gossamer train-dense --resume %s%n",
            result.iterations(), folder.path());
  }

  private static String message(DenseTraining.Iteration record) {
    String loss = String.format(Locale.ROOT, "loss %.4f", record.result().loss());
    return record.validation() == null
        ? loss
        : loss + String.format(Locale.ROOT, "  validation %.4f", record.validation().loss());
  }

  /// Threads of each rank.
  private int threads() {
    return ranks.underLauncher()
        ? machine.threads(ranks.processesHere())
        : Math.max(1, machine.threads(1) / ranks.size());
  }

  /// Bytes that one rank may take.
  private long memoryOfRank() {
    int here = ranks.underLauncher() ? 1 : ranks.size();
    return pipeline.memoryPerRank(machine.memoryLimit(ranks.processesHere()) / here);
  }

  private NumberFormat format() {
    return switch (precision) {
      case "bf16" -> NumberFormat.BF16;
      case "fp16" -> NumberFormat.FP16;
      case "fp32", "float32" -> NumberFormat.FLOAT32;
      default ->
          throw new InvalidInputException(
              "--precision: expected bf16, fp16 or fp32, found " + precision);
    };
  }

  private StateSettings stateSettings(DenseNetwork network) {
    return new StateSettings(
        format(),
        prune.index,
        prune.downCast,
        prune.products,
        iterations.rule(model.isText(network)));
  }

  private DenseTraining.Settings trainingSettings(DenseNetwork network) {
    try {
      return new DenseTraining.Settings(
          iterations.iterations,
          evaluateEvery,
          evaluateSamples,
          checkpointEvery,
          iterations.learningRate(model.isText(network)));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--" + e.getMessage(), e);
    }
  }

  /// Share of the parameters that is pruned from the first iteration on: before a ticket is drawn,
  /// all are kept.
  private double sharePruned() {
    return prune.isFromTheBeginning() ? prune.sparsity : 0;
  }

  /// The stages, on the grid that the flags ask for.
  private List<StagePart> parts(DenseNetwork network, StateSettings state) {
    int size = ranks.size();
    Grid grid =
        pipeline.isAutomatic()
            ? DensePlan.smallest(
                network,
                size,
                pipeline.settings(new Grid(1, 1), seed),
                state,
                sharePruned(),
                threads(),
                memoryOfRank())
            : pipeline.grid(size);
    try {
      return StagePart.all(network, pipeline.settings(grid, seed), state);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--inter: " + e.getMessage(), e);
    }
  }

  private void requireFits(MemoryEstimate estimate, List<StagePart> parts) {
    long limit = memoryOfRank();
    if (estimate.bytes() > limit) {
      throw new InvalidInputException(
          "memory: a rank needs %s with --inter %d but %s may be used; use a larger --inter, a smaller --microbatch, or --checkpoint-activations"
              .formatted(
                  MemoryEstimate.readable(estimate.bytes()),
                  parts.size(),
                  MemoryEstimate.readable(limit)));
    }
  }

  /// Prints the plan for each number of stages.
  private int plan() {
    DenseNetwork network = model.published(seed);
    StateSettings state = stateSettings(network);
    new DensePlanReport(network, state, prune.sparsity, threads(), memoryOfRank(), common)
        .print(
            spec.commandLine().getOut(),
            DensePlan.grids(network, ranks.size(), pipeline.settings(new Grid(1, 1), seed)));
    return 0;
  }

  private RunFolder runFolder(Corpus corpus) {
    data.makeAbsolute();
    return runs.folder(ranks, corpus.name(), spec);
  }

  /// What identifies the network in its file.
  private Map<String, String> description(Run run) {
    return model.description(run.parts().getFirst().network());
  }

  /// Floating-point operations a second, as a share of what this rank's threads multiply at most on
  /// matrices that fit the caches, times the cores that the ranks have.
  private double percentOfPeak(StagePart part, RunSummary summary, Workers workers) {
    double operations =
        model.operations(part.network())
            * part.settings().batch()
            * (part.settings().checkpoint() ? 4 : 3);
    double peak = MatmulPeak.measure(workers) * cores(workers.threads());
    return 100 * operations / summary.last().seconds() / peak;
  }

  private int cores(int threads) {
    return Math.min(ranks.size(), Math.max(1, SystemCores.online() / threads));
  }
}
