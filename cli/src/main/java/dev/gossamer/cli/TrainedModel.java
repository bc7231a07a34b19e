package dev.gossamer.cli;

import dev.gossamer.gnn.fullgraph.FullGraphTrainer;
import dev.gossamer.gnn.fullgraph.NetworkPlan;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.RunFolder;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The flags and the opening of a run's model, for the commands that use one.
final class TrainedModel {
  @Option(
      names = "--run",
      paramLabel = "RUN",
      required = true,
      description = "Folder of the training run whose model and settings are used.")
  Path run = Path.of("");

  @Option(
      names = "--data",
      paramLabel = "DATA",
      description = "Another data set with the same features and classes (default: the run's).")
  @Nullable String data;

  @Mixin ComputeOptions compute = new ComputeOptions();

  /// Opens run, data set and model, and hands them over.
  void use(CommonOptions common, BiConsumer<GraphData, FullGraphTrainer> user) {
    RunFolder folder = RunFolder.open(run);
    TrainCommand trained = ConfigFile.read(folder.config()).settle(new TrainCommand());
    if (data != null) {
      trained.data.data = data;
    }
    NetworkSettings settings = trained.networkSettings();
    OptimizerRule rule = trained.optimizer.rule();
    Matmul matmul = compute.chosenMatmul();
    long limit = compute.memoryLimit(1);
    try (GraphData dataset = trained.data.open(common);
        Workers workers = new Workers(compute.threads(1))) {
      DataOptions.requireFeatures(dataset);
      NetworkPlan plan = NetworkPlan.of(dataset, settings);
      plan.memory(dataset, settings, rule, workers.threads())
          .requireFits(limit, "--hidden", 1, width -> plan.memory(dataset, settings, rule, 1));
      try (FullGraphTrainer trainer =
          new FullGraphTrainer(dataset, settings, plan, rule, 0, new Kernels(workers, matmul))) {
        ModelFile.read(folder, trainer.state());
        user.accept(dataset, trainer);
      }
    }
  }
}
