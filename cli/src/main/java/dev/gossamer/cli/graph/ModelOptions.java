package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.RankSettings;
import dev.gossamer.cli.data.TrainedRun;
import dev.gossamer.cli.machine.ComputeOptions;
import dev.gossamer.cli.machine.LaunchOptions;
import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.FlagGroup;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/// The flags of the commands that use a trained model.
final class ModelOptions {
  @Spec(Spec.Target.MIXEE)
  CommandSpec command = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "RUN",
      description = "Folder of a finished training run, or its model.safetensors.")
  @Nullable Path run;

  @Option(names = "--run", paramLabel = "RUN", hidden = true, description = "The same, as a flag.")
  @Nullable Path flag;

  @Option(
      names = "--data",
      paramLabel = "DATA",
      description =
          "A data set with the features that the model was trained on, or a schema of tables with such columns"
              + " (default: the data of the run).")
  @Nullable String data;

  @Option(
      names = "--fanout",
      paramLabel = "S",
      split = ",",
      description =
          "Sample this number of neighbours per vertex: one for all layers, or one for each, the output layer first"
              + " (default: all neighbours, layer by layer in small blocks).")
  @Nullable List<Integer> fanout;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "Seed of sampled neighbours (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(
      names = "--dry-run",
      description = "Print the memory that the command would need; compute and write nothing.")
  boolean dryRun;

  @FlagGroup(
      value = "Ranks:",
      sentence = "Needed to divide the vertices among threads or processes.")
  @Mixin
  LaunchOptions ranks = new LaunchOptions();

  @FlagGroup(value = "Machine:", sentence = "Needed to leave cores or memory to other programs.")
  @Mixin
  ComputeOptions compute = new ComputeOptions();

  /// Returns the run folder or model file.
  Path path() {
    Path given = run == null ? flag : run;
    if (given == null) {
      throw new ParameterException(
          command.commandLine(),
          "RUN: expected the folder of a training run or a model file, found none");
    }
    return given;
  }

  /// Uses the model on the data set, with the memory estimate and progress on standard error, and
  /// reports the result; or only prints the estimate.
  <R> void use(CommonOptions common, MemoryOptions parts, Purpose<R> purpose) {
    TrainedRun trained = new TrainedRun(path());
    GraphModel model = trained.model();
    try (Dataset dataset = trained.dataset(model, data, common)) {
      InferenceSettings settings =
          InferenceSettings.DEFAULT
              .withNeighbours(fanout == null ? List.of() : fanout)
              .withSeed(seed)
              .withRanks(rankSettings())
              .withMachine(compute.settings());
      if (ranks.isFirstProcess()) {
        MemoryEstimate memory = purpose.memory(model, dataset, settings);
        if (dryRun) {
          report(common, parts, dataset, memory);
        } else if (!common.quiet) {
          err().println(parts.line(memory));
          err().flush();
        }
      }
      if (dryRun) {
        return;
      }
      R result;
      try (ProgressSteps progress = new ProgressSteps(common.quiet)) {
        result = purpose.use(model, dataset, settings.withProgress(progress));
      }
      if (ranks.isFirstProcess()) {
        purpose.report(dataset, result);
      }
    }
  }

  private PrintWriter err() {
    return command.commandLine().getErr();
  }

  private void report(
      CommonOptions common, MemoryOptions parts, Dataset dataset, MemoryEstimate memory) {
    PrintWriter out = command.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("dry_run", true);
      node.put("dataset", dataset.name());
      node.put("estimated_bytes", memory.bytes());
      node.put("estimated_mapped_bytes", memory.mappedBytes());
      ObjectNode each = node.putObject("parts");
      memory.items().forEach(item -> each.put(item.name(), item.bytes()));
      out.println(JsonOutput.line(node));
    } else {
      out.println(parts.line(memory));
    }
    out.flush();
  }

  private RankSettings rankSettings() {
    return new RankSettings(ranks.launchSettings(), RankSettings.DEFAULT.strategy(), null);
  }

  /// What a command does with a model.
  interface Purpose<R> {
    /// Returns the memory estimate.
    MemoryEstimate memory(GraphModel model, Dataset dataset, InferenceSettings settings);

    /// Computes the result.
    R use(GraphModel model, Dataset dataset, InferenceSettings settings);

    /// Reports the result.
    void report(Dataset dataset, R result);
  }
}
