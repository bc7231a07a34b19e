package dev.gossamer.cli.pruned;

import dev.gossamer.cli.machine.ClusterOptions;
import dev.gossamer.cli.settings.FlagValues;
import dev.gossamer.cli.settings.UnreadFlags;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.FlagGroup;
import dev.gossamer.cli.terminal.GroupedHelp;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.pruned.PlannedRun;
import dev.gossamer.pruned.PrunedMachineSettings;
import dev.gossamer.pruned.PrunedPlan;
import dev.gossamer.pruned.PrunedRun;
import dev.gossamer.pruned.PrunedSettings;
import dev.gossamer.pruned.RankPlace;
import dev.gossamer.run.LaunchSettings;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
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
      "Compare ways to train a pruned network before training it, and recommend one.",
      "For each number of ranks: every division into stages and replicas, with all parameters (dense), dense"
          + " products of the survivors (compressed), sparse products, and the choice of --compute auto. Bytes,"
          + " messages and memory are counted from the network, seconds follow from the measured rates of the machine."
          + " The printed command keeps flags of 'gossamer prune train'.",
    },
    sortOptions = false,
    showDefaultValues = false,
    abbreviateSynopsis = true,
    modelTransformer = GroupedHelp.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer prune plan --model gpt-50m --ranks 1..16",
      "      ways to train it on this machine; 'gossamer plan --model gpt-50m' is the same",
      "  gossamer prune plan --model gpt-2.7b --cluster cluster.yaml --ranks 8..64 --sparsity 0.9",
      "      on a cluster, nine tenths pruned; nothing is trained, and no memory is taken",
      "  gossamer prune plan --data input.txt --model gpt-small --compute sparse --all --json",
      "      every grid with sparse products, for the tokens of a text, as JSON",
    })
final class PrunePlanCommand implements Callable<Integer> {
  /// Ways that are listed unless all are asked for.
  private static final int LISTED = 20;

  @Spec CommandSpec spec;

  @FlagGroup(
      value = "Data:",
      sentence = "Without these, sizes are those of the model's publication.")
  @Mixin
  PrunedTrainingOptions options = new PrunedTrainingOptions();

  @FlagGroup("Ranks and machine:")
  @Mixin
  PrunePlanOptions space = new PrunePlanOptions();

  @FlagGroup("Ranks and machine:")
  @Mixin
  ClusterOptions machines = new ClusterOptions();

  @FlagGroup("Output:")
  @Mixin
  CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    PrunedRun flags = options.run(LaunchSettings.DEFAULT, PrunedMachineSettings.DEFAULT);
    boolean staged = spec.commandLine().getParseResult().hasMatchedOption("--inter");
    PrunedRun asked =
        staged
            ? flags
            : flags.withTraining(flags.training().withStages(PrunedSettings.AUTOMATIC_STAGES));
    UnreadFlags.refuse(spec, FlagValues.of(asked));
    Cluster cluster = machines.cluster(common);
    long slots = (long) cluster.nodes() * cluster.ranksPerNode();
    List<RankPlace> places =
        space.numbers(slots).stream().map(ranks -> place(cluster, ranks)).toList();
    PrunedPlan plan;
    try (ProgressSteps reading = new ProgressSteps(common.quiet, "bytes")) {
      plan = asked.data().training().settings(asked.training()).onReading(reading::at).plan(places);
    }
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      out.println(JsonOutput.line(json(asked, plan)));
    } else {
      print(asked, cluster, plan, out);
    }
    out.flush();
    return 0;
  }

  private RankPlace place(Cluster cluster, int ranks) {
    RankLayout layout = new RankLayout(cluster, ranks);
    Long memory = options.pipeline.memoryPerRank();
    return ClusterSpeed.place(
        layout,
        layout.nodes() > 1,
        memory == null ? cluster.memoryPerNode() / layout.ranksOfNode() : memory);
  }

  private void print(PrunedRun asked, Cluster cluster, PrunedPlan plan, PrintWriter out) {
    PrunePlanReport.network(plan, out);
    out.println(ClusterOptions.line(cluster));
    out.println();
    List<PlannedRun> runs = plan.runs();
    int listed = space.all ? runs.size() : Math.min(LISTED, runs.size());
    PrunePlanReport.table(runs.subList(0, listed)).print(out);
    if (listed < runs.size()) {
      out.printf("and %,d more: --all%n", runs.size() - listed);
    }
    out.println();
    PlannedRun best = runs.getFirst();
    if (best.fits()) {
      out.println("best     " + PrunePlanReport.named(best));
      if (runs.size() > 1) {
        PlannedRun second = runs.get(1);
        out.println("because  " + PrunePlanReport.reason(best, second));
        out.println("second   " + (second.fits() ? PrunePlanReport.named(second) : "does not fit"));
      }
      out.println("command  " + PruneArguments.command(asked, plan, best));
    } else {
      out.printf(
          "nothing fits: the smallest strategy needs %s per rank, of %s; with more ranks on more nodes, each needs less%n",
          MemoryEstimate.readable(runs.stream().mapToLong(PlannedRun::peakBytes).min().orElse(0)),
          MemoryEstimate.readable(best.place().memory()));
    }
    later(plan)
        .ifPresent(run ->
            out.printf(
                "pruned   %s fits once the network is pruned: %s%n",
                PrunePlanReport.named(run),
                best.fits()
                    ? "--inter auto continues with the fewest stages that do"
                    : "to begin there, prune at once: --prune one-shot, or --mask"));
    PrunePlanReport.hint(best, out);
  }

  /// The fastest run that fits only once it is pruned, if it is faster than what fits all the time.
  private static Optional<PlannedRun> later(PrunedPlan plan) {
    return plan.runs().stream()
        .filter(run -> !run.fits() && run.fitsInTheEnd())
        .min(Comparator.comparingDouble(PlannedRun::seconds))
        .filter(run ->
            !plan.runs().getFirst().fits() || run.seconds() < plan.runs().getFirst().seconds());
  }

  private ObjectNode json(PrunedRun asked, PrunedPlan plan) {
    ObjectNode node = JsonOutput.object();
    PrunePlanReport.put(node, plan);
    ArrayNode rows = node.putArray("strategies");
    for (PlannedRun run : plan.runs()) {
      PrunePlanReport.put(rows.addObject(), run, PruneArguments.command(asked, plan, run));
    }
    PlannedRun best = plan.runs().getFirst();
    if (best.fits()) {
      node.put("recommended", 0);
      node.put("command", PruneArguments.command(asked, plan, best));
      if (plan.runs().size() > 1) {
        node.put("reason", PrunePlanReport.reason(best, plan.runs().get(1)));
      }
    }
    return node;
  }
}
