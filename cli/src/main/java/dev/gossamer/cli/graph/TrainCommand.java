package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.ExchangeSpace;
import dev.gossamer.GraphRun;
import dev.gossamer.GraphTraining;
import dev.gossamer.InferenceSettings;
import dev.gossamer.PlannedStrategy;
import dev.gossamer.Planning;
import dev.gossamer.RunOutput;
import dev.gossamer.StopSignal;
import dev.gossamer.TrainingResult;
import dev.gossamer.TrainingSettings;
import dev.gossamer.cli.data.VertexDataOptions;
import dev.gossamer.cli.machine.ComputeOptions;
import dev.gossamer.cli.machine.DryRunOptions;
import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.machine.Profile;
import dev.gossamer.cli.machine.ProfileOptions;
import dev.gossamer.cli.settings.FlagValues;
import dev.gossamer.cli.settings.RunOptions;
import dev.gossamer.cli.settings.UnreadFlags;
import dev.gossamer.cli.tensorboard.Board;
import dev.gossamer.cli.tensorboard.TensorBoardOptions;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.Failures;
import dev.gossamer.cli.terminal.FlagGroup;
import dev.gossamer.cli.terminal.GroupedHelp;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.ReportPart;
import dev.gossamer.cli.terminal.StopOnExit;
import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.planner.Cluster;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "train",
    description = "Train a network on a graph.",
    sortOptions = false,
    showDefaultValues = false,
    abbreviateSynopsis = true,
    modelTransformer = GroupedHelp.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer train",
      "      a graph convolutional network on the class-reference graph of the running JDK",
      "  gossamer train --model mlp",
      "      the same without the graph, as a baseline",
      "  gossamer train --model sign --hops 3 --hidden 256 --mode minibatch --batch 1024",
      "      hops of the features, computed once, and a perceptron on batches of their rows",
      "  gossamer train --data cora/ --config config/cora.yaml --seed 3",
      "      a Planetoid folder with the settings of Kipf and Welling",
      "  gossamer train --data my-graph/ --layers 3 --hidden 128 --schedule cosine --epochs 300",
      "      three layers, 128 wide, and a learning rate that falls to 0",
      "  gossamer train --data my-graph/ --task links --dropout 0",
      "      on edges that are held out of the graph, instead of what is known of vertices",
      "  gossamer train --data triples.yaml --task links --model rgcn --features identity --dropout 0",
      "      on edges of several types, as of a knowledge graph, with a learned vector of each vertex",
      "  gossamer train --data my-graph/ --model sage --layers 4 --jumping max",
      "      outputs from all four layers, so that each vertex chooses how many hops it looks",
      "  gossamer train --ranks 4 --placement random",
      "      four ranks as threads; mpirun -np 4 gossamer train ... runs them as processes",
      "  gossamer train --ranks 4 --link 30us,0.8ns --trace",
      "      the same over a simulated network; trace.json shows which messages overlap with which kernel",
      "  gossamer train --mode minibatch --model sage --sampler sage --fanout 15,10 --batch 1024",
      "      GraphSAGE on sampled neighbourhoods, drawn in bulk",
      "  gossamer train --tensorboard runs/board",
      "      files for TensorBoard, which 'tensorboard --logdir runs/board' shows while it trains",
      "  gossamer train --data my-graph/ --ranks 4 --dry-run",
      "      what that would need: memory, bytes, messages and seconds of an epoch",
      "  gossamer train --resume runs/20260131-101500-jdk-classes",
      "      resume an interrupted run, with results bit-identical to an uninterrupted one",
      "  gossamer train --data my-graph/ --run-folder runs/night --resume auto",
      "      begin the run in this folder or resume it, whichever it is: for schedulers, which repeat a command",
    })
public final class TrainCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @FlagGroup(
      value = "Data:",
      sentence = "Needed to train on anything but the class references of the running JDK.")
  @Mixin
  VertexDataOptions data = new VertexDataOptions();

  @FlagGroup(
      value = "Model:",
      sentence = "Needed for another kind of layer, more layers, or another width.")
  @Mixin
  NetworkOptions network = new NetworkOptions();

  @FlagGroup(
      value = "Training:",
      sentence = "Needed to train longer, to tune the optimizer, or to vary the seed.")
  @Mixin
  PaceOptions pace = new PaceOptions();

  @FlagGroup("Training:")
  @Mixin
  LossOptions loss = new LossOptions();

  @FlagGroup("Training:")
  @Mixin
  OptimizerOptions optimizer = new OptimizerOptions();

  @FlagGroup(
      value = "Minibatches:",
      sentence =
          "Needed when a step over the whole graph takes too long or does not fit in memory.")
  @Mixin
  SamplingOptions sampling = new SamplingOptions();

  @FlagGroup("Minibatches:")
  @Mixin
  HistoricalOptions historical = new HistoricalOptions();

  @FlagGroup(
      value = "Ranks:",
      sentence = "Needed to distribute a graph that is too large or too slow for one process.")
  @Mixin
  RankOptions ranks = new RankOptions();

  @FlagGroup(value = "Machine:", sentence = "Needed to leave cores or memory to other programs.")
  @Mixin
  ComputeOptions compute = new ComputeOptions();

  @FlagGroup(
      value = "Output:",
      sentence =
          "Needed to choose where runs are written, to resume one, or to read results with a program.")
  @Mixin
  RunOptions runs = new RunOptions();

  @FlagGroup("Output:")
  @Mixin
  DryRunOptions planned = new DryRunOptions();

  @FlagGroup("Output:")
  @Mixin
  TraceOptions trace = new TraceOptions();

  @FlagGroup("Output:")
  @Mixin
  ProfileOptions profiling = new ProfileOptions();

  @FlagGroup("Output:")
  @Mixin
  TensorBoardOptions tensorboard = new TensorBoardOptions();

  @FlagGroup("Output:")
  @Mixin
  MemoryOptions memory = new MemoryOptions();

  @FlagGroup("Output:")
  @Mixin
  CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws Exception {
    GraphRun run = run();
    UnreadFlags.refuse(spec, FlagValues.of(run));
    profiling.requireRun(planned);
    tensorboard.require(planned, ranks.isFirstProcess());
    runs.require(ranks.isFirstProcess(), pace.checkpointEvery);
    TrainingSettings settings = run.training();
    ExchangeSpace open = ranks.open();
    TrainReport report = new TrainReport(spec, common, memory, run);
    RunOutput output =
        runs.output(
                (folder, chosen) -> {
                  runs.keepAsked(folder, spec);
                  report.describe(folder, chosen);
                })
            .withTrace(trace.epochs);
    if (historical.isHistorical() && ranks.size() == 1) {
      report.warning("{historical}: one rank has no remote vertices; nothing is cached");
    }
    long limit = settings.machine().limit(LaunchEnvironment.detect(System.getenv()).here());
    StopSignal stop = new StopSignal();
    Board board = tensorboard.open(ranks.isFirstProcess(), settings.learning().pace().epochs());
    StopOnExit onExit = new StopOnExit(() -> stop(stop, report, board));
    try (Profile profile = profiling.begin(ranks.isFirstProcess());
        board;
        Dataset dataset = data.open(common, limit);
        report) {
      onExit.listen();
      TrainBoard shown = board == null ? null : new TrainBoard(board);
      GraphTraining asked =
          GraphTraining.on(dataset)
              .settings(settings)
              .split(run.data().proportions())
              .output(output)
              .listener(shown == null ? report : report.and(shown))
              .stopOn(stop);
      if (!ranks.isFirstProcess()) {
        if (!planned.dryRun) {
          planned.awaitRates();
          asked.train();
        }
        return 0;
      }
      if (planned.dryRun) {
        Cluster machines = planned.cluster(common);
        return plan(run, asked.planned(machines, open), machines);
      }
      Optional<Cluster> machines =
          planned.clusterOfRun(ranks.isLaunched(), common, report::warning);
      TrainingResult result = machines.map(m -> asked.planned(m, open)).orElse(asked).train();
      List<ReportPart> parts = new ArrayList<>();
      if (profile != null) {
        parts.add(profile.end(report.folder()));
      }
      if (shown != null && shown.end(result)) {
        parts.add(shown.board().result(vectors(shown, result, dataset, settings, report)));
      }
      return end(result, report, parts);
    } catch (RuntimeException | Error e) {
      return Failures.reported(spec, e);
    } finally {
      onExit.close();
    }
  }

  /// Asks the training to stop after its epoch. One that has none yet ends with the process.
  ///
  /// @return whether it has begun
  private boolean stop(StopSignal stop, TrainReport report, @Nullable Board board) {
    boolean begun = stop.request();
    if (!begun && ranks.isFirstProcess()) {
      report.close();
      if (board != null) {
        board.interrupted();
      }
      Failures.interrupted(spec, common, "interrupted before the first epoch");
    }
    return begun;
  }

  /// Returns the settings of the flags.
  public GraphRun run() {
    return new GraphRun(
        data.settings(),
        new TrainingSettings(
            network.architecture(data.featureScaling()),
            sampling.mode(network, ranks, historical),
            optimizer.learning(loss.settings(), pace.pace()),
            ranks.settings(),
            compute.settings(),
            pace.seed));
  }

  /// Says what would be done.
  private int plan(GraphRun run, GraphTraining training, Cluster machines) {
    PlannedStrategy strategy =
        (planned.isOtherCluster()
                ? Planning.of(training, machines)
                : Planning.here(training, machines))
            .asSet();
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("dry_run", true);
      PlanReport.put(node, strategy, null);
      TrainingSettings chosen = strategy.settings(run.training());
      JsonOutput.putSettings(node, FlagValues.of(run.withTraining(chosen)));
      out.println(JsonOutput.line(node));
    } else {
      out.println(PlanReport.text(strategy, memory));
    }
    out.flush();
    return 0;
  }

  /// Writes vectors of vertices, on one rank: the launched ones have ended.
  private int vectors(
      TrainBoard shown,
      TrainingResult result,
      Dataset dataset,
      TrainingSettings settings,
      TrainReport report) {
    if (ranks.isLaunched()) {
      report.warning("{tensorboard}: no vectors of vertices are written under a launcher");
      return 0;
    }
    return shown.vectors(
        result,
        dataset,
        InferenceSettings.DEFAULT.withMachine(settings.machine()),
        report::warning);
  }

  private int end(TrainingResult result, TrainReport report, List<ReportPart> parts) {
    if (result.end().interrupted()) {
      report.close();
      return Failures.interrupted(
          spec,
          common,
          "interrupted after epoch %d; resume with: gossamer train --resume %s"
              .formatted(result.end().epochs(), report.folder()));
    }
    report.end(spec.commandLine().getOut(), result, parts);
    return 0;
  }
}
