package dev.gossamer.benchmarks;

import dev.gossamer.comm.Link;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.nn.DownCast;
import dev.gossamer.planner.Cluster;
import dev.gossamer.pruned.MachineSettings;
import dev.gossamer.pruned.MemoryPlan;
import dev.gossamer.pruned.MemoryPlan.OnGrid;
import dev.gossamer.pruned.PrunedTraining;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.PruningSettings.OneShot;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.IterationForecast;
import dev.gossamer.pruned.pipeline.IterationForecast.Speed;
import dev.gossamer.pruned.pipeline.Pruning.Criterion;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// SAMO, section III-D, figure 8 and table II, from the plan of a pruned network: dense products,
/// 90 % of the parameters pruned, activations computed again.
@Command(
    name = "samo",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "SAMO, memory, figure 8 and table II, from the plan of a pruned network.")
final class PrunedFigures implements Callable<Integer> {
  @Option(names = "--machine", description = "a cluster file of the folder config: its links")
  private String machine = "summit";

  @Option(names = "--peak", description = "half-precision Tflop/s of a GPU (SAMO, section VI)")
  private double peak = 125;

  @Option(
      names = "--share",
      description = "of the peak that a stage reaches by itself; SAMO states none")
  private double share = 0.6;

  @Option(names = "--memory", description = "GiB of a GPU")
  private int memory = 16;

  private static final double SPARSITY = 0.9;

  /// Shares of AxoNN's batch time that SAMO saves and adds, in percent (section VI-C).
  private record Saved(int gpus, double messages, double bubble, double gradients, double added) {}

  private static final List<Saved> FIGURE_8 =
      List.of(
          new Saved(128, 18, 9, 6, 12),
          new Saved(256, 16.17, 13.17, 11.08, 10.18),
          new Saved(512, 4, 15, 21, 8));

  /// Percent of the peak (table II).
  private record Peak(int gpus, double axonn, double samo) {}

  private static final List<Peak> TABLE_2 =
      List.of(
          new Peak(256, 43.3, 53.4),
          new Peak(512, 39.7, 48.8),
          new Peak(1024, 32.2, 41.1),
          new Peak(2048, 22.9, 31.0));

  /// What a grid takes.
  private record Chosen(OnGrid on, long bytes, IterationForecast forecast) {
    /// Stages, replicas and the memory of a rank.
    String grid() {
      return "%s, %s".formatted(on.grid(), MemoryEstimate.readable(bytes));
    }

    String text() {
      return String.format(
          Locale.ROOT,
          "%s | %.2f | %.2f | %.2f | %.2f | %.2f",
          grid(),
          forecast.seconds(),
          forecast.compute(),
          forecast.messages(),
          forecast.bubble(),
          forecast.gradients());
    }
  }

  @Override
  public Integer call() {
    PrintStream out = System.out;
    Cluster cluster = ScaledMachine.named(machine);
    Speed speed =
        new Speed(
            share * peak * 1e12,
            new Link(cluster.between().latency(), 1 / cluster.between().bandwidth()));
    state(out);
    phases(out, speed);
    peaks(out, speed);
    return 0;
  }

  private MemoryPlan plan(String model, int batch, int gpus) {
    return PrunedTraining.onJdkText()
        .model(model)
        .pruning(PruningSettings.DEFAULT.withCriterion(Criterion.GLOBAL))
        .prune(new OneShot(1))
        .sparsity(SPARSITY)
        .storage(
            StorageSettings.DEFAULT
                .withProducts(Products.DENSE)
                .withDownCast(DownCast.WHOLE)
                .withActivations(NumberFormat.BF16))
        .batches(
            BatchSettings.DEFAULT
                .withBatch(batch)
                .withMicrobatch(1)
                .withCheckpointActivations(true))
        .machine(MachineSettings.DEFAULT.withThreads(1).withMemoryPerRank((long) memory << 30))
        .ranks(gpus)
        .automaticStages()
        .plan();
  }

  private void state(PrintStream out) {
    out.printf("%n### State of a network, 90 %% pruned (section III-D)%n%n");
    out.println(
        "| network | parameters | dense GB | `20 phi` | pruned GB | `24 f phi + 2 phi` | saved |");
    out.println("|---|---|---|---|---|---|---|");
    for (String model : List.of("gpt-xl", "gpt-2.7b", "gpt-6.7b", "gpt-13b")) {
      MemoryPlan plan = plan(model, 2048, 256);
      double phi = plan.network().parameters();
      double dense = plan.denseStateBytes();
      double pruned = plan.prunedStateBytes();
      out.printf(
          Locale.ROOT,
          "| %s | %,.0f | %.2f | %.2f | %.2f | %.2f | %.1f %% |%n",
          model,
          phi,
          dense / 1e9,
          20 * phi / 1e9,
          pruned / 1e9,
          (24 * (1 - SPARSITY) + 2) * phi / 1e9,
          100 * (1 - pruned / dense));
    }
  }

  private static Chosen dense(MemoryPlan plan, Speed speed) {
    return fastest(plan, OnGrid::denseBytes, on -> plan.dense(on, speed));
  }

  private static Chosen pruned(MemoryPlan plan, Speed speed) {
    return fastest(plan, OnGrid::prunedBytes, on -> plan.pruned(on, speed));
  }

  /// The fastest grid that fits; if none does, the one that takes least.
  private static Chosen fastest(
      MemoryPlan plan, ToLongFunction<OnGrid> bytes, Function<OnGrid, IterationForecast> forecast) {
    long least = plan.grids().stream().mapToLong(bytes).min().orElseThrow();
    long limit = Math.max(least, plan.rank().limit());
    return plan.grids().stream()
        .filter(on -> bytes.applyAsLong(on) <= limit)
        .map(on -> new Chosen(on, bytes.applyAsLong(on), forecast.apply(on)))
        .min(Comparator.comparingDouble(chosen -> chosen.forecast().seconds()))
        .orElseThrow();
  }

  /// Figure 8.
  private void phases(PrintStream out, Speed speed) {
    out.printf("%n### Figure 8: seconds of an iteration of GPT-3 2.7B%n%n");
    out.println(
        "| GPUs | | stages x replicas, memory | seconds | computation | messages | bubble | gradients |");
    out.println("|---|---|---|---|---|---|---|---|");
    StringBuilder saved = new StringBuilder();
    for (Saved row : FIGURE_8) {
      MemoryPlan plan = plan("gpt-2.7b", 512, row.gpus());
      Chosen before = dense(plan, speed);
      Chosen after = pruned(plan, speed);
      out.printf("| %d | dense | %s |%n", row.gpus(), before.text());
      out.printf("| %d | pruned | %s |%n", row.gpus(), after.text());
      double all = before.forecast().seconds() / 100;
      IterationForecast a = before.forecast();
      IterationForecast b = after.forecast();
      saved.append(
          String.format(
              Locale.ROOT,
              "| %d | %.0f, %.0f | %.0f, %.0f | %.0f, %.0f | %.0f, %.0f | %.0f, %.0f |%n",
              row.gpus(),
              row.messages(),
              (a.messages() - b.messages()) / all,
              row.bubble(),
              (a.bubble() - b.bubble()) / all,
              row.gradients(),
              (a.gradients() - b.gradients()) / all,
              row.added(),
              (b.compute() - a.compute()) / all,
              row.messages() + row.bubble() + row.gradients() - row.added(),
              (a.seconds() - b.seconds()) / all));
    }
    out.printf("%nPercent of the dense iteration that pruning saves: SAMO, here.%n%n");
    out.println("| GPUs | messages | bubble | gradients | compression adds | all |");
    out.println("|---|---|---|---|---|---|");
    out.print(saved);
  }

  /// Table II, by the operations of Narayanan et al. with activations computed again.
  private void peaks(PrintStream out, Speed speed) {
    out.printf("%n### Table II: percent of the peak, GPT-3 13B%n%n");
    out.println(
        "| GPUs | AxoNN | here | stages x replicas, memory | AxoNN+SAMO | here | stages x replicas, memory |");
    out.println("|---|---|---|---|---|---|---|");
    double s = 2048;
    double l = 40;
    double h = 5120;
    double vocabulary = 50257;
    int batch = 2048;
    double operations = 96 * batch * s * l * h * h * (1 + s / (6 * h) + vocabulary / (16 * l * h));
    for (Peak row : TABLE_2) {
      MemoryPlan plan = plan("gpt-13b", batch, row.gpus());
      Chosen before = dense(plan, speed);
      Chosen after = pruned(plan, speed);
      double all = operations / (row.gpus() * peak * 1e12) * 100;
      out.printf(
          Locale.ROOT,
          "| %d | %.1f | %.1f | %s | %.1f | %.1f | %s |%n",
          row.gpus(),
          row.axonn(),
          all / before.forecast().seconds(),
          before.grid(),
          row.samo(),
          all / after.forecast().seconds(),
          after.grid());
    }
  }
}
