package dev.gossamer.cli;

import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.PhaseClock;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.LoopSettings;
import dev.gossamer.run.RankLog;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.TrainingLoop;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "train",
    description = "Train a network on a graph.",
    sortOptions = false,
    showDefaultValues = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer train",
      "      a graph convolutional network on the class-reference graph of the running JDK",
      "  gossamer train --model mlp",
      "      the same without the graph: what the graph is worth",
      "  gossamer train --data cora/ --config config/cora.yaml --seed 3",
      "      a Planetoid folder with the settings of Kipf and Welling",
      "  gossamer train --data my-graph/ --layers 3 --hidden 128 --schedule cosine --epochs 300",
      "  gossamer train --ranks 4 --placement random",
      "      four ranks as threads; mpirun -np 4 gossamer train ... runs them as processes",
      "  gossamer train --ranks 4 --link 30us,0.8ns --trace",
      "      the same over an imitated network; trace.json shows what travelled behind which kernel",
      "  gossamer train --mode minibatch --model sage --sampler sage --fanout 15,10 --batch 1024",
      "      GraphSAGE on sampled neighbourhoods, drawn in bulk",
      "  gossamer train --resume runs/20260131-101500-jdk-classes",
      "      continue an interrupted run to the bits of an uninterrupted one",
    })
final class TrainCommand implements Callable<Integer> {
  static final int INTERRUPTED = 130;

  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();
  @Mixin DataOptions data = new DataOptions();
  @Mixin NetworkOptions network = new NetworkOptions();
  @Mixin OptimizerOptions optimizer = new OptimizerOptions();
  @Mixin ComputeOptions compute = new ComputeOptions();
  @Mixin SamplingOptions sampling = new SamplingOptions();
  @Mixin HistoricalOptions historical = new HistoricalOptions();
  @Mixin RankOptions ranks = new RankOptions();
  @Mixin RunOptions runs = new RunOptions();

  @Option(
      names = "--epochs",
      paramLabel = "N",
      defaultValue = "150",
      description = "Epochs at most (default: ${DEFAULT-VALUE}).")
  int epochs;

  @Option(
      names = "--patience",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Stop after this many epochs without a better validation accuracy; 0 for never (default: ${DEFAULT-VALUE}).")
  int patience;

  @Option(
      names = "--evaluate-every",
      paramLabel = "N",
      defaultValue = "1",
      description = "Epochs between two evaluations (default: ${DEFAULT-VALUE}).")
  int evaluateEvery;

  @Option(
      names = "--checkpoint-every",
      paramLabel = "N",
      defaultValue = "50",
      description =
          "Epochs between two checkpoints; 0 for none but when interrupted (default: ${DEFAULT-VALUE}).")
  int checkpointEvery;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Seed of weights and dropout; the same seed gives the same bits (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(
      names = "--trace",
      paramLabel = "K",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "5",
      description =
          "Write trace.json into the run's folder: what each rank computed and sent when, in the first K epochs"
              + " (${FALLBACK-VALUE} without a number; default: none). Opens in ui.perfetto.dev or chrome://tracing.")
  int trace;

  /// What a run trains, on however many ranks.
  ///
  /// @param threads of each rank
  /// @param limit bytes that this process may take
  record Job(
      GraphData dataset,
      NetworkSettings settings,
      OptimizerRule rule,
      LoopSettings loop,
      Matmul matmul,
      int threads,
      long limit) {}

  /// A way to go through the graph, with its flags read and found to fit.
  @FunctionalInterface
  interface Mode {
    /// @return exit status
    int run(Job job);
  }

  @Override
  public Integer call() {
    OptimizerRule rule = optimizer.rule();
    NetworkSettings settings = networkSettings();
    LoopSettings loop = loopSettings();
    Matmul matmul = compute.chosenMatmul();
    long limit = compute.memoryLimit(ranks.processesHere());
    int threads =
        ranks.underLauncher()
            ? compute.threads(ranks.processesHere())
            : Math.max(1, compute.threads(1) / ranks.size());
    requireTraceable();
    Mode mode =
        sampling.isMinibatch()
            ? new MinibatchMode(this, settings)
            : new FullGraphMode(this, settings);
    try (GraphData dataset = data.open(common)) {
      DataOptions.requireTrainable(dataset);
      return mode.run(new Job(dataset, settings, rule, loop, matmul, threads, limit));
    }
  }

  /// The network that the flags describe.
  NetworkSettings networkSettings() {
    return network.settings(optimizer.decayFirstLayerOnly(), sampling.usualNormalisation());
  }

  PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /// The folder of this run; under a launcher only the first process makes or writes one.
  RunFolder runFolder(GraphData dataset) {
    data.makeAbsolute();
    return runs.folder(ranks, dataset.name(), spec);
  }

  /// Runs the epochs on one rank, and reports.
  ///
  /// @param first whether this rank prints and writes
  /// @param facts made at the end, collectively; null on other ranks than the first
  /// @return exit status
  int train(
      LoopSettings loop,
      EpochTrainer trainer,
      RunFolder folder,
      TrainReport report,
      RankLog log,
      boolean first,
      Function<List<EpochRecord>, @Nullable RunFacts> facts) {
    List<EpochRecord> records = new ArrayList<>();
    CountDownLatch finished = new CountDownLatch(1);
    try {
      TrainingLoop.Result result;
      try (ProgressLine progress =
          new ProgressLine("training", "epochs", epochs, common.quiet || !first)) {
        TrainingLoop run =
            new TrainingLoop(
                loop,
                trainer,
                folder,
                first,
                record -> {
                  records.add(record);
                  log.epoch(record.epoch(), trainer.sent());
                  progress.update(record.epoch(), message(record));
                });
        stopWhenTold(run::requestStop, finished);
        result = run.run();
      }
      RunFacts found = facts.apply(records);
      log.write(folder);
      if (!first) {
        return 0;
      }
      if (result.interrupted()) {
        spec.commandLine()
            .getErr()
            .printf(
                "gossamer: interrupted after epoch %d; continue with: gossamer train --resume %s%n",
                result.epochs(), folder.path());
        return INTERRUPTED;
      }
      ModelFile.write(folder, trainer.state(), report.dataset());
      report.end(spec.commandLine().getOut(), records, result, found);
      return 0;
    } finally {
      finished.countDown();
    }
  }

  static Kernels kernels(Workers workers, Matmul matmul, RankLog log) {
    return new Kernels(workers, matmul, new PhaseClock(log.timeline()));
  }

  private void requireTraceable() {
    if (trace < 0) {
      throw new InvalidInputException("--trace: expected at least 0 epochs, found " + trace);
    }
  }

  /// When the process is told to end, lets the run stop with a checkpoint first.
  ///
  /// @param stop asks the run to stop
  /// @param finished counted down when it has
  static void stopWhenTold(Runnable stop, CountDownLatch finished) {
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("stop")
                .unstarted(() -> {
                  stop.run();
                  try {
                    finished.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
  }

  private static String message(EpochRecord record) {
    return record.evaluation() == null
        ? String.format(Locale.ROOT, "loss %.4f", record.loss())
        : String.format(
            Locale.ROOT,
            "loss %.4f  validation %.4f",
            record.loss(),
            record.evaluation().validation().accuracy());
  }

  private LoopSettings loopSettings() {
    try {
      return new LoopSettings(
          epochs, patience, evaluateEvery, checkpointEvery, optimizer.learningRate(epochs));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--" + e.getMessage(), e);
    }
  }
}
