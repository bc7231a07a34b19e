package dev.gossamer.cli.pruned;

import dev.gossamer.base.Workers;
import dev.gossamer.cli.machine.DryRunOptions;
import dev.gossamer.cli.machine.LaunchOptions;
import dev.gossamer.cli.machine.MachineOptions;
import dev.gossamer.cli.machine.MatmulPeak;
import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.machine.Profile;
import dev.gossamer.cli.machine.ProfileOptions;
import dev.gossamer.cli.report.LiveFigures;
import dev.gossamer.cli.settings.ConfigFile;
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
import dev.gossamer.cli.terminal.ProgressLine;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.cli.terminal.ReportPart;
import dev.gossamer.cli.terminal.StopOnExit;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.RankLayout;
import dev.gossamer.pruned.PlannedRun;
import dev.gossamer.pruned.PrunedMachineSettings;
import dev.gossamer.pruned.PrunedPlan;
import dev.gossamer.pruned.PrunedResult;
import dev.gossamer.pruned.PrunedRun;
import dev.gossamer.pruned.PrunedSettings;
import dev.gossamer.pruned.PrunedTraining;
import dev.gossamer.pruned.RankPlace;
import dev.gossamer.pruned.RunPlan;
import dev.gossamer.pruned.pipeline.IterationRecord;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.pruned.prune.Pruning.Never;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.SystemCores;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "train",
    description = "Train a network, prune it during training, and keep only the surviving weights.",
    sortOptions = false,
    showDefaultValues = false,
    abbreviateSynopsis = true,
    modelTransformer = GroupedHelp.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer prune train",
      "      a small language model on the signatures of the JDK, and the unpruned one for comparison",
      "  gossamer prune train --data input.txt --model gpt-small --iterations 1000",
      "      bytes of a text; --prune none trains the unpruned network instead",
      "  gossamer prune train --from gpt2/ --data input.txt --length 128 --lr 1e-4",
      "      fine-tune and prune weights in the layout of GPT-2",
      "  gossamer prune train --data mnist/ --batch 128 --microbatch 32",
      "      images; --criterion channels removes channels by scales of batch normalisation",
      "  gossamer prune train --ranks 4 --inter 2 --link 30us,0.8ns --trace",
      "      two replicas of a two-stage pipeline over a simulated 10 Gbit/s network",
      "  gossamer prune train --data input.txt --ranks 4 --inter 2 --dry-run",
      "      what that would need: memory, bytes, messages and seconds of an iteration",
      "  gossamer prune train --resume runs/20260131-101500-jdk-text",
      "      resume an interrupted run, with results bit-identical to an uninterrupted one",
      "  gossamer prune train --data input.txt --checkpoint-every 50 --run-folder runs/night --resume auto",
      "      begin the run in this folder or resume it, whichever it is: for schedulers, which repeat a command",
    })
public final class PruneTrainCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @FlagGroup("Data:")
  @Mixin
  PrunedTrainingOptions options = new PrunedTrainingOptions();

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
  DryRunOptions planned = new DryRunOptions();

  @FlagGroup("Run:")
  @Mixin
  IterationTraceOptions trace = new IterationTraceOptions();

  @FlagGroup("Run:")
  @Mixin
  ProfileOptions profiling = new ProfileOptions();

  @FlagGroup("Run:")
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
    PrunedRun asked = run();
    UnreadFlags.refuse(spec, FlagValues.of(asked));
    planned.requireDryRun();
    profiling.requireRun(planned);
    tensorboard.require(planned, ranks.isFirstProcess());
    runs.require(ranks.isFirstProcess(), options.iterations.checkpointEvery);
    if (planned.dryRun) {
      plan(asked);
      return 0;
    }
    AtomicBoolean stop = new AtomicBoolean();
    BooleanSupplier asking =
        () -> {
          stop.set(true);
          return true;
        };
    int iterations = asked.training().iterations().iterations();
    StopOnExit onExit = new StopOnExit(asking);
    try (Profile profile = profiling.begin(ranks.isFirstProcess());
        Board board = tensorboard.open(ranks.isFirstProcess(), iterations)) {
      PrunedTraining training = planned(training(asked), asked).stopWhen(stop::get);
      PrunedResult run =
          watched(shown(training, iterations, board), new Progress("training", onExit, board));
      List<ReportPart> parts = new ArrayList<>();
      if (profile != null) {
        parts.add(profile.end(folder(run)));
      }
      if (board != null && run.result().interrupted()) {
        board.interrupted();
      } else if (board != null) {
        board.end(run.result().iterations(), Map.of("validation", scores(run)));
        parts.add(board.result(0));
      }
      boolean compared = !run.result().interrupted() && asked.isCompared();
      PrunedResult whole =
          compared
              ? watched(
                  asked
                      .data()
                      .training()
                      .settings(asked.training())
                      .prune(new Never())
                      .stopWhen(stop::get),
                  new Progress("the unpruned network", onExit, null))
              : null;
      PrunedResult complete = whole == null || whole.result().interrupted() ? null : whole;
      return end(run, complete, parts);
    } catch (RuntimeException | Error e) {
      return Failures.reported(spec, e);
    } finally {
      onExit.close();
    }
  }

  /// Has the seconds of an iteration planned, if the rates of the machine are known.
  private PrunedTraining planned(PrunedTraining training, PrunedRun asked) {
    if (!ranks.isFirstProcess()) {
      planned.awaitRates();
      return training;
    }
    return planned
        .clusterOfRun(ranks.isLaunched(), common, this::warn)
        .map(cluster -> training.planned(place(cluster, asked.training())))
        .orElse(training);
  }

  private void warn(String text) {
    if (!common.quiet) {
      spec.commandLine().getErr().println("warning  " + text);
      spec.commandLine().getErr().flush();
    }
  }

  /// Has the weights counted, for which all processes send what they have.
  private PrunedTraining shown(PrunedTraining training, int iterations, @Nullable Board board) {
    if (!tensorboard.isGiven()) {
      return training;
    }
    return training.onWeights(
        Board.every(iterations),
        (iteration, histograms) -> {
          if (board != null) {
            board.weights(iteration, histograms);
          }
        });
  }

  private static Map<String, Double> scores(PrunedResult run) {
    Score score = Objects.requireNonNull(run.result().validation());
    return Map.of(
        "loss", score.loss(), "accuracy", score.accuracy(), "perplexity", score.perplexity());
  }

  /// Says what would be done.
  private void plan(PrunedRun asked) {
    if (!ranks.isFirstProcess()) {
      return;
    }
    RankPlace place = place(planned.cluster(common), asked.training());
    PrunedPlan plan;
    try (ProgressSteps reading = new ProgressSteps(common.quiet, "bytes")) {
      plan = training(asked).onReading(reading::at).planAsSet(place);
    }
    PlannedRun run = plan.runs().getFirst();
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("dry_run", true);
      PrunePlanReport.put(node, plan);
      PrunePlanReport.put(node, run, null);
      out.println(JsonOutput.line(node));
    } else {
      PrunePlanReport.network(plan, out);
      PrunePlanReport.print(run, out);
      PrunePlanReport.hint(run, out);
    }
    out.flush();
  }

  /// Where the ranks would be: on the machines of a file, or on this one.
  private RankPlace place(Cluster cluster, PrunedSettings asked) {
    RankLaunch launch = asked.ranks().launch();
    boolean here = planned.cluster == null;
    PrunedMachineSettings settings = asked.machine();
    int p = launch.ranks();
    long memory = settings.memoryOfRank(launch);
    int cores = Math.max(1, Math.min(SystemCores.online(), p * settings.threadsOfRank(launch)));
    RankLayout layout =
        RankLayout.of(here ? cluster.node(p, cores, cluster.memoryPerNode()) : cluster, launch);
    boolean processes = launch.underLauncher() || layout.nodes() > 1;
    return ClusterSpeed.place(
        layout,
        processes,
        here || options.pipeline.memoryPerRank != null
            ? memory
            : cluster.memoryPerNode() / layout.ranksOfNode());
  }

  private PrunedResult watched(PrunedTraining training, Progress progress) {
    try (progress) {
      return training
          .onReading(progress.reading::at)
          .onWarning(this::warn)
          .onPlan(progress::begin)
          .onIteration(progress::update)
          .onGrid(progress::move)
          .train();
    }
  }

  /// Returns the settings of the flags.
  public PrunedRun run() {
    Long memory = machine.memory == null ? null : MachineOptions.bytes("--memory", machine.memory);
    return options.run(
        ranks.launchSettings(),
        new PrunedMachineSettings(machine.threads, memory, options.pipeline.memoryPerRank(), null));
  }

  /// Returns the training, with the folder of the run.
  PrunedTraining training(PrunedRun asked) {
    PrunedTraining training = asked.data().training().settings(asked.training()).trace(trace.trace);
    Path resumed = runs.resumed();
    return resumed == null
        ? training.folder(name -> folder(name, asked))
        : training.resume(resumed);
  }

  /// A new folder, with the settings in it.
  private RunFolder folder(String name, PrunedRun asked) {
    RunFolder folder = runs.create(name);
    runs.keepAsked(folder, spec);
    ConfigFile.write(folder.config(), FlagValues.of(asked.absolute()), List.of());
    return folder;
  }

  private static Path folder(PrunedResult run) {
    return Objects.requireNonNull(run.plan().folder());
  }

  /// @param whole run of the whole network; null if there was none
  /// @param parts that flags ask for
  /// @return exit status
  private int end(PrunedResult run, @Nullable PrunedResult whole, List<ReportPart> parts) {
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
        new PruneReport(run.plan(), ranks.link, memory, common)
            .end(spec.commandLine().getOut(), new PruneReport.Runs(run, whole, parts), peak);
      }
    }
    return 0;
  }

  /// Shows how far a run is.
  private final class Progress implements AutoCloseable {
    private final boolean quiet = common.quiet || !ranks.isFirstProcess();
    private final ProgressSteps reading = new ProgressSteps(quiet, "bytes");
    private final String name;
    private final StopOnExit onExit;
    private final @Nullable Board board;
    private final LiveFigures figures = new LiveFigures(quiet);
    private @Nullable RunPlan plan;
    private @Nullable ProgressLine line;

    /// @param name what is trained
    /// @param board that shows it; null for none
    Progress(String name, StopOnExit onExit, @Nullable Board board) {
      this.name = name;
      this.onExit = onExit;
      this.board = board;
    }

    void begin(RunPlan decided) {
      plan = decided;
      reading.close();
      if (ranks.isFirstProcess()) {
        new PruneReport(decided, ranks.link, memory, common).begin(spec.commandLine().getErr());
      }
      if (board != null) {
        board.begin(Objects.requireNonNull(decided.folder()));
      }
      line = new ProgressLine(name, "iterations", options.iterations.iterations, quiet);
      onExit.listen();
    }

    void update(IterationRecord record) {
      if (board != null) {
        board.step();
      }
      RunPlan begun = Objects.requireNonNull(plan);
      figures.add(() -> record.step(begun.network().parameters()));
      if (line != null) {
        line.update(record.number(), message(record), () -> figures.lines(begun.estimate()));
      }
    }

    void move(int done, RunPlan next) {
      if (line != null) {
        line.close();
      }
      new PruneReport(next, ranks.link, memory, common).move(spec.commandLine().getErr(), done);
      line = new ProgressLine(name, "iterations", options.iterations.iterations, quiet);
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
