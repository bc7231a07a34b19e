package dev.gossamer.benchmarks;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.nn.state.DownCast;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.pruned.PlannedRun;
import dev.gossamer.pruned.PrunedTraining;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.RankPlace;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.IterationForecast;
import dev.gossamer.pruned.pipeline.RankSpeed;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// SAMO, section III-D, figures 5 to 8 and table II, from the plan of a pruned network: dense
/// products, 90 % of the parameters pruned, activations computed again.
@Command(
    name = "samo",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "SAMO, memory, figures 5 to 8 and table II, from the plan of a pruned network.")
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

  private static final StorageSettings HALF_MESSAGES =
      StorageSettings.DEFAULT.withActivations(NumberFormat.BF16);

  /// Shares of AxoNN's batch time that SAMO saves and adds, in percent (section VI-C).
  private record Saved(int gpus, double messages, double bubble, double gradients, double added) {}

  private static final List<Saved> FIGURE_8 =
      List.of(
          new Saved(128, 18, 9, 6, 12),
          new Saved(256, 16.17, 13.17, 11.08, 10.18),
          new Saved(512, 4, 15, 21, 8));

  /// One strong scaling of figures 5 to 7 (table I), on `batch / 8` to `batch` GPUs.
  ///
  /// @param least percent by which SAMO is faster than AxoNN (section VI-B)
  /// @param most percent, at the most GPUs
  private record Scaling(String model, int batch, int least, int most) {}

  private static final List<Scaling> FIGURE_5 =
      List.of(new Scaling("wideresnet101", 128, 7, 12), new Scaling("vgg19", 128, 18, 44));

  private static final List<Scaling> FIGURES_6_AND_7 =
      List.of(
          new Scaling("gpt-xl", 512, 10, 47),
          new Scaling("gpt-2.7b", 512, 10, 34),
          new Scaling("gpt-6.7b", 1024, 11, 23),
          new Scaling("gpt-13b", 2048, 19, 26));

  /// Percent of the peak (table II).
  private record Peak(int gpus, double axonn, double samo) {}

  private static final List<Peak> TABLE_2 =
      List.of(
          new Peak(256, 43.3, 53.4),
          new Peak(512, 39.7, 48.8),
          new Peak(1024, 32.2, 41.1),
          new Peak(2048, 22.9, 31.0));

  /// GPUs that reach a share of their peak in products of whatever shape, and links between all.
  ///
  /// @param operations of a GPU a second
  /// @param link between two of them
  private record Gpus(double operations, LinkRates link) implements RankSpeed {
    @Override
    public double product(long rows, int in, int out) {
      return 2.0 * rows * in * out / operations;
    }

    @Override
    public double weightGradient(long rows, int in, int out) {
      return product(rows, in, out);
    }

    /// In the share of the peak.
    @Override
    public double stream(double bytes) {
      return 0;
    }

    @Override
    public double messages(int from, int to, double count, double bytes) {
      return link.seconds(Math.round(count), bytes);
    }
  }

  /// Stages, replicas and the memory of a rank.
  private static String grid(PlannedRun run) {
    return "%s, %s".formatted(run.grid(), MemoryEstimate.readable(run.last().memory().bytes()));
  }

  private static String text(PlannedRun run) {
    IterationForecast forecast = run.last().seconds();
    return String.format(
        Locale.ROOT,
        "%s | %.2f | %.2f | %.2f | %.2f | %.2f",
        grid(run),
        forecast.seconds(),
        forecast.compute(),
        forecast.messages(),
        forecast.bubble(),
        forecast.gradients());
  }

  @Override
  public Integer call() {
    PrintStream out = System.out;
    Gpus speed = new Gpus(share * peak * 1e12, ScaledMachine.named(machine).between());
    state(out, speed);
    images(out, speed);
    texts(out, speed);
    phases(out, speed);
    peaks(out, speed);
    return 0;
  }

  /// Of texts: activations are computed again.
  private static PrunedTraining training(String model, int batch) {
    return PrunedTraining.onJdkText()
        .model(model)
        .storage(HALF_MESSAGES)
        .batches(
            BatchSettings.DEFAULT
                .withBatch(batch)
                .withMicrobatch(1)
                .withCheckpointActivations(true))
        .automaticStages();
  }

  private PlannedRun dense(String model, int batch, int gpus, Gpus speed) {
    return fastest(dense(training(model, batch)), gpus, speed);
  }

  private PlannedRun pruned(String model, int batch, int gpus, Gpus speed) {
    return fastest(pruned(training(model, batch), HALF_MESSAGES), gpus, speed);
  }

  private static PrunedTraining dense(PrunedTraining training) {
    return training.prune(new Pruning.Never());
  }

  private static PrunedTraining pruned(PrunedTraining training, StorageSettings storage) {
    return training
        .pruning(PruningSettings.DEFAULT.withCriterion(Criterion.GLOBAL))
        .prune(new Pruning.OneShot(1))
        .sparsity(SPARSITY)
        .storage(storage.withProducts(Products.DENSE).withDownCast(DownCast.WHOLE));
  }

  /// The fastest grid that fits in the end; if none does, the one that takes least.
  private PlannedRun fastest(PrunedTraining training, int gpus, Gpus speed) {
    RankPlace place = new RankPlace(gpus, gpus, 1, 1, true, (long) memory << 30, speed);
    List<PlannedRun> runs = training.plan(List.of(place)).runs();
    return runs.stream()
        .filter(PlannedRun::fitsInTheEnd)
        .min(Comparator.comparingDouble(PlannedRun::seconds))
        .or(() ->
            runs.stream()
                .min(Comparator.comparingLong((PlannedRun run) -> run.last().memory().bytes())))
        .orElseThrow();
  }

  private void state(PrintStream out, Gpus speed) {
    out.printf("%n### State of a network, 90 %% pruned (section III-D)%n%n");
    out.println(
        "| network | parameters | dense GB | `20 phi` | pruned GB | `24 f phi + 2 phi` | saved |");
    out.println("|---|---|---|---|---|---|---|");
    for (String model : List.of("gpt-xl", "gpt-2.7b", "gpt-6.7b", "gpt-13b")) {
      PlannedRun whole = dense(model, 2048, 256, speed);
      double phi = whole.stages().getFirst().network().parameters();
      double dense = whole.stateBytes().last();
      double pruned = pruned(model, 2048, 256, speed).stateBytes().last();
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

  /// Figure 5: a copy of the whole network on each GPU, with images as published.
  private void images(PrintStream out, Gpus speed) {
    scalings(
        out,
        "Figure 5",
        FIGURE_5,
        (row, gpus) -> {
          PrunedTraining training =
              PrunedTraining.onJdkText()
                  .model(row.model())
                  .batches(
                      BatchSettings.DEFAULT
                          .withBatch(row.batch())
                          .withMicrobatch(row.batch() / gpus))
                  .stages(1);
          return new Pair(
              fastest(dense(training), gpus, speed),
              fastest(pruned(training, StorageSettings.DEFAULT), gpus, speed));
        });
  }

  private void texts(PrintStream out, Gpus speed) {
    scalings(
        out,
        "Figures 6 and 7",
        FIGURES_6_AND_7,
        (row, gpus) ->
            new Pair(
                dense(row.model(), row.batch(), gpus, speed),
                pruned(row.model(), row.batch(), gpus, speed)));
  }

  private record Pair(PlannedRun dense, PlannedRun pruned) {}

  /// The text of the paper has no numbers but the ends of the ranges.
  private static void scalings(
      PrintStream out, String title, List<Scaling> rows, BiFunction<Scaling, Integer, Pair> plan) {
    out.printf("%n### %s: seconds of an iteration%n%n", title);
    out.println(
        "| network | GPUs | dense s | stages x replicas, memory | pruned s | stages x replicas, memory | SAMO | here |");
    out.println("|---|---|---|---|---|---|---|---|");
    for (Scaling row : rows) {
      int fewest = row.batch() / 8;
      for (int gpus = fewest; gpus <= row.batch(); gpus *= 2) {
        Pair pair = plan.apply(row, gpus);
        String stated =
            gpus == fewest
                ? "from %d %%".formatted(row.least())
                : gpus == row.batch() ? "%d %%".formatted(row.most()) : "";
        out.printf(
            Locale.ROOT,
            "| %s | %d | %.3f | %s | %.3f | %s | %s | %.0f %% |%n",
            row.model(),
            gpus,
            pair.dense().seconds(),
            grid(pair.dense()),
            pair.pruned().seconds(),
            grid(pair.pruned()),
            stated,
            100 * (pair.dense().seconds() / pair.pruned().seconds() - 1));
      }
    }
  }

  /// Figure 8.
  private void phases(PrintStream out, Gpus speed) {
    out.printf("%n### Figure 8: seconds of an iteration of GPT-3 2.7B%n%n");
    out.println(
        "| GPUs | | stages x replicas, memory | seconds | computation | messages | bubble | gradients |");
    out.println("|---|---|---|---|---|---|---|---|");
    StringBuilder saved = new StringBuilder();
    for (Saved row : FIGURE_8) {
      PlannedRun before = dense("gpt-2.7b", 512, row.gpus(), speed);
      PlannedRun after = pruned("gpt-2.7b", 512, row.gpus(), speed);
      out.printf("| %d | dense | %s |%n", row.gpus(), text(before));
      out.printf("| %d | pruned | %s |%n", row.gpus(), text(after));
      double all = before.seconds() / 100;
      IterationForecast a = before.last().seconds();
      IterationForecast b = after.last().seconds();
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
  private void peaks(PrintStream out, Gpus speed) {
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
      PlannedRun before = dense("gpt-13b", batch, row.gpus(), speed);
      PlannedRun after = pruned("gpt-13b", batch, row.gpus(), speed);
      double all = operations / (row.gpus() * peak * 1e12) * 100;
      out.printf(
          Locale.ROOT,
          "| %d | %.1f | %.1f | %s | %.1f | %.1f | %s |%n",
          row.gpus(),
          row.axonn(),
          all / before.seconds(),
          grid(before),
          row.samo(),
          all / after.seconds(),
          grid(after));
    }
  }
}
