package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.GraphRun;
import dev.gossamer.GraphTraining;
import dev.gossamer.LearningSettings;
import dev.gossamer.LossSettings;
import dev.gossamer.PlannedScaling;
import dev.gossamer.PlannedStrategy;
import dev.gossamer.Planning;
import dev.gossamer.PlanningSpace;
import dev.gossamer.TrainingListener;
import dev.gossamer.TrainingSettings;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.data.DatasetText;
import dev.gossamer.cli.data.VertexDataOptions;
import dev.gossamer.cli.machine.Calibrate;
import dev.gossamer.cli.machine.CalibrateOptions;
import dev.gossamer.cli.machine.ClusterOptions;
import dev.gossamer.cli.settings.FlagValues;
import dev.gossamer.cli.settings.UnreadFlags;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.FlagGroup;
import dev.gossamer.cli.terminal.FlagNames;
import dev.gossamer.cli.terminal.GroupedHelp;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.graph.Progress;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.planner.Cluster;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "plan",
    description = {
      "Compare ways to train a network on a graph before training it, and recommend one.",
      "Bytes, messages and memory are counted from the graph and its placement, seconds follow from the measured rates"
          + " of the machine. An epoch is one step on the whole graph, and many steps with minibatches.",
      "With a --model of 'gossamer prune train', such as gpt-50m or vgg19, runs 'gossamer prune plan'.",
    },
    sortOptions = false,
    showDefaultValues = false,
    abbreviateSynopsis = true,
    modelTransformer = GroupedHelp.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer plan",
      "      ways to train on the class references of the running JDK on this machine",
      "  gossamer plan --data my-graph/ --model sage --layers 3 --hidden 256 --fanout 15,10,5",
      "      the whole graph against GraphSAGE's minibatches",
      "  gossamer plan --data my-graph/ --cluster cluster.yaml --ranks 1,2,4..1024",
      "      on a cluster, with 1, 2, 4, 8 ranks and so on to 1024",
      "  gossamer plan --model gpt-50m --ranks 1..16",
      "      a pruned network: stages and replicas, dense and sparse; 'gossamer prune plan --help' has its flags",
      "  gossamer plan --calibrate",
      "      measure this machine in under two minutes, for all later plans",
      "  gossamer plan --data my-graph/ --mode full-graph --placement gvb --all --json",
      "      every strategy on the whole graph, as JSON",
    })
public final class PlanCommand implements Callable<Integer> {
  /// Strategies that are listed unless all are asked for.
  private static final int LISTED = 20;

  @Spec CommandSpec spec;

  @FlagGroup(
      value = "Data:",
      sentence = "Needed to plan for anything but the class references of the running JDK.")
  @Mixin
  VertexDataOptions data = new VertexDataOptions();

  @FlagGroup(value = "Model:", sentence = "As for 'gossamer train'.")
  @Mixin
  NetworkOptions network = new NetworkOptions();

  @FlagGroup("Training:")
  @Mixin
  OptimizerOptions optimizer = new OptimizerOptions();

  @FlagGroup(
      value = "Strategies:",
      sentence = "Needed to compare other or fewer strategies than by default.")
  @Mixin
  PlanSpaceOptions space = new PlanSpaceOptions();

  @FlagGroup(value = "Machine:", sentence = "Needed to plan for other machines than this one.")
  @Mixin
  ClusterOptions machines = new ClusterOptions();

  @FlagGroup("Machine:")
  @Mixin
  CalibrateOptions calibration = new CalibrateOptions();

  @FlagGroup("Output:")
  @Mixin
  CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    if (calibration.isAsked()) {
      return Calibrate.run(spec, common, calibration.launch(), calibration.file());
    }
    GraphRun run = run();
    UnreadFlags.refuse(spec, FlagValues.of(run));
    PlanningSpace asked = space.space();
    List<MinibatchSettings> minibatches = space.minibatches(network);
    Cluster cluster = machines.cluster(common);
    try (Dataset dataset = data.open(common)) {
      List<PlannedStrategy> strategies;
      try (Listener listener = new Listener()) {
        GraphTraining training =
            GraphTraining.on(dataset)
                .settings(run.training())
                .split(run.data().proportions())
                .listener(listener);
        Planning planning = Planning.of(training, cluster);
        strategies =
            planning.strategies(
                asked.withWholeGraphAndMinibatches(
                    space.planWholeGraph(), possible(planning, minibatches)));
      }
      if (common.json) {
        printJson(run, dataset, strategies);
      } else {
        print(run, dataset, cluster, strategies);
      }
    }
    return 0;
  }

  /// The samplers that go with the network; one that was asked for must.
  private List<MinibatchSettings> possible(Planning planning, List<MinibatchSettings> minibatches) {
    List<MinibatchSettings> possible = new ArrayList<>();
    for (MinibatchSettings each : minibatches) {
      Optional<InvalidSettingException> refusal = planning.refusal(each);
      if (refusal.isPresent() && space.samplers != null) {
        throw refusal.get();
      }
      if (refusal.isEmpty()) {
        possible.add(each);
      } else if (!common.quiet) {
        err().println("skipped  minibatches: " + refusal.get().message(FlagNames::of));
      }
    }
    return possible;
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /// What the flags say of a run, however it is distributed.
  private GraphRun run() {
    LearningSettings.Pace pace =
        LearningSettings.Pace.DEFAULT
            .withEpochs(space.epochs)
            .withEvaluateEvery(space.evaluateEvery);
    return new GraphRun(
        data.settings(),
        TrainingSettings.DEFAULT
            .withArchitecture(network.architecture(data.featureScaling()))
            .withLearning(optimizer.learning(LossSettings.DEFAULT, pace))
            .withSeed(space.seed));
  }

  private void print(
      GraphRun run, Dataset dataset, Cluster cluster, List<PlannedStrategy> strategies) {
    PrintWriter out = spec.commandLine().getOut();
    DatasetText.print(dataset.data(), out);
    out.println(ClusterOptions.line(cluster));
    out.println();
    int listed = space.all ? strategies.size() : Math.min(LISTED, strategies.size());
    PlanReport.table(strategies.subList(0, listed)).print(out);
    if (listed < strategies.size()) {
      out.printf("and %,d more: --all%n", strategies.size() - listed);
    }
    out.println();
    PlannedStrategy best = Planning.recommended(strategies);
    if (!best.fits()) {
      out.printf(
          "nothing fits: the smallest strategy needs %s per node, of %s; with more ranks on more nodes, each needs less%n",
          MemoryEstimate.readable(
              strategies.stream().mapToLong(s -> s.memory().ofNode()).min().orElse(0)),
          MemoryEstimate.readable(best.memory().limit()));
      out.flush();
      return;
    }
    out.println("best     " + named(best));
    if (strategies.size() > 1) {
      PlannedStrategy other = PlanReport.other(strategies, best);
      out.println("because  " + PlanReport.reason(best, other));
      String label = PlanReport.isFaster(other, best) ? "fastest  " : "second   ";
      out.println(label + (other.fits() ? named(other) : "does not fit"));
    }
    out.println("run      " + PlanReport.run(best.cost().orElseThrow()));
    PlannedScaling scaling = PlannedScaling.of(strategies);
    if (scaling.rows().size() > 1) {
      out.println();
      PlanReport.table(scaling).print(out);
      out.println();
      out.println("worth    " + PlanReport.worth(scaling));
    }
    out.println("command  " + TrainArguments.command(run, best));
    if (best.place().processes()) {
      out.println("launch   " + TrainArguments.launch(best));
    }
    out.flush();
  }

  private static String named(PlannedStrategy strategy) {
    return String.format(
        Locale.ROOT,
        "%d %s, %s: %.4f s per epoch of %,d %s",
        strategy.place().ranks(),
        strategy.place().ranks() == 1 ? "rank" : "ranks",
        PlanReport.words(strategy),
        strategy.seconds(),
        strategy.cost().orElseThrow().epoch().steps(),
        strategy.cost().orElseThrow().epoch().steps() == 1 ? "step" : "steps");
  }

  private void printJson(GraphRun run, Dataset dataset, List<PlannedStrategy> strategies) {
    ObjectNode node = JsonOutput.object();
    node.put("dataset", dataset.data().name());
    node.put("model", network.model);
    ArrayNode rows = node.putArray("strategies");
    for (PlannedStrategy strategy : strategies) {
      PlanReport.put(rows.addObject(), strategy, TrainArguments.command(run, strategy));
    }
    PlannedStrategy best = Planning.recommended(strategies);
    if (best.fits()) {
      int index = strategies.indexOf(best);
      node.put("recommended", index);
      node.put("command", TrainArguments.command(run, best));
      if (strategies.size() > 1) {
        node.put("reason", PlanReport.reason(best, PlanReport.other(strategies, best)));
      }
      node.put("epochs", space.epochs);
      node.put("run_seconds", best.runSeconds());
      PlannedScaling scaling = PlannedScaling.of(strategies);
      PlanReport.put(node.putArray("scaling"), scaling);
      node.put("worthwhile_ranks", scaling.worthwhile().strategy().place().ranks());
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(JsonOutput.line(node));
    out.flush();
  }

  /// The progress of partitioners.
  private final class Listener implements TrainingListener, AutoCloseable {
    private final ProgressSteps steps = new ProgressSteps(common.quiet);

    @Override
    public void partitioning(Partitioner method, int parts, long estimatedBytes) {
      PartitionCommand.begin(err(), common, method, parts, estimatedBytes);
    }

    @Override
    public Progress partitioningProgress() {
      return steps;
    }

    @Override
    public void close() {
      steps.close();
    }
  }
}
