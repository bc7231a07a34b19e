package dev.gossamer.cli;

import dev.gossamer.Architecture;
import dev.gossamer.Dataset;
import dev.gossamer.GraphTraining;
import dev.gossamer.LearningSettings;
import dev.gossamer.MachineSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.RankSettings;
import dev.gossamer.RunOutput;
import dev.gossamer.StopSignal;
import dev.gossamer.TrainingResult;
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
      "      resume an interrupted run, with results bit-identical to an uninterrupted one",
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

  @Override
  public Integer call() {
    LearningSettings learning =
        optimizer.learning(
            new LearningSettings.Pace(epochs, patience, evaluateEvery, checkpointEvery));
    Architecture architecture = network.architecture(data.featureScaling());
    RankSettings ranked = ranks.settings();
    MachineSettings machine = compute.settings();
    RunOutput output = runs.output(this::describe).withTrace(trace);
    MinibatchSettings minibatches = minibatches();
    TrainReport report = new TrainReport(spec, common, seed, epochs, ranks.link);
    StopSignal stop = new StopSignal();
    CountDownLatch finished = new CountDownLatch(1);
    stopWhenTold(stop::request, finished);
    try (Dataset dataset = data.open(common);
        report) {
      GraphTraining training =
          GraphTraining.on(dataset)
              .architecture(architecture)
              .learning(learning)
              .ranks(ranked)
              .machine(machine)
              .split(data.proportions())
              .seed(seed)
              .output(output)
              .listener(report)
              .stopOn(stop);
      TrainingResult result =
          (minibatches == null ? training : training.minibatches(minibatches)).train();
      return end(result, report);
    } finally {
      finished.countDown();
    }
  }

  /// What the flags of minibatches say; null if training goes over the whole graph.
  private @Nullable MinibatchSettings minibatches() {
    if (sampling.isMinibatch()) {
      return sampling.settings(network.layerCount(), ranks, historical);
    }
    sampling.requireNone();
    historical.requireFullGraph();
    return null;
  }

  /// Writes the settings into a new run folder.
  private void describe(RunFolder folder) {
    data.makeAbsolute();
    ConfigFile.write(folder.config(), spec);
  }

  private int end(TrainingResult result, TrainReport report) {
    if (!ranks.isFirstProcess()) {
      return 0;
    }
    if (result.end().interrupted()) {
      spec.commandLine()
          .getErr()
          .printf(
              "gossamer: interrupted after epoch %d; continue with: gossamer train --resume %s%n",
              result.end().epochs(), report.folder());
      return INTERRUPTED;
    }
    report.end(spec.commandLine().getOut(), result);
    return 0;
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
}
