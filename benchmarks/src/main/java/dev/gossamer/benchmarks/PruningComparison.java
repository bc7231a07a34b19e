package dev.gossamer.benchmarks;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.pruned.ModelSettings;
import dev.gossamer.pruned.PrunedResult;
import dev.gossamer.pruned.PrunedTraining;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.pruned.prune.Pruning.EarlyBird;
import dev.gossamer.pruned.prune.Pruning.Gradual;
import dev.gossamer.pruned.prune.Pruning.Never;
import dev.gossamer.pruned.prune.Pruning.OneShot;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// What networks learn that are pruned at different times and by different criteria, beside the
/// whole one after as many iterations: loss and accuracy of the validation part, over several
/// seeds, and the time of the run.
@Command(name = "pruning", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class PruningComparison implements Callable<Integer> {
  @Option(names = "--data", description = "text or images; left out, the JDK's own text")
  private @Nullable Path data;

  @Option(names = "--model", description = "name of the network")
  private String model = "gpt-small";

  @Option(names = "--width", description = "channels of a gpt")
  private @Nullable Integer width;

  @Option(names = "--layers", description = "blocks of a gpt")
  private @Nullable Integer layers;

  @Option(names = "--length", description = "tokens that a gpt sees at once")
  private @Nullable Integer length;

  @Option(names = "--iterations", description = "of every training")
  private int iterations = IterationSettings.DEFAULT_ITERATIONS;

  @Option(names = "--batch", description = "samples of an iteration")
  private int batch = BatchSettings.DEFAULT_BATCH;

  @Option(names = "--microbatch", description = "samples that are computed together")
  private int microbatch = BatchSettings.DEFAULT_MICROBATCH;

  @Option(names = "--lr", description = "largest learning rate; left out, the optimizer's")
  private @Nullable Double rate;

  @Option(names = "--sparsity", split = ",", description = "shares that are pruned")
  private List<Double> sparsities = List.of(PruningSettings.DEFAULT_SPARSITY);

  @Option(
      names = "--when",
      split = ",",
      description = "early-bird, gradual, one-shot (at a fifth), or gradual:FROM:UNTIL in percent")
  private List<String> times = List.of("one-shot", "early-bird", "gradual");

  @Option(names = "--criteria", split = ",", description = "what survives")
  private List<String> criteria = List.of("per-layer", "global");

  @Option(names = "--seeds", description = "how many: 0, 1, and so on")
  private int seeds = 3;

  @Option(names = "--threads", description = "of every training; left out, one for each core")
  private @Nullable Integer threads;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new PruningComparison()).execute(arguments));
  }

  /// Means and deviations over the seeds.
  private record Row(List<Double> losses, List<Double> accuracies, List<Double> seconds) {
    static double mean(List<Double> values) {
      return values.stream().mapToDouble(v -> v).average().orElse(Double.NaN);
    }

    static double deviation(List<Double> values) {
      double mean = mean(values);
      double squares = values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();
      return values.size() < 2 ? 0 : Math.sqrt(squares / (values.size() - 1));
    }
  }

  @Override
  public Integer call() {
    PrintStream out = System.out;
    out.print(Machine.here().text());
    out.println();
    out.println(
        "| pruned | criterion | sparsity | loss | beside the whole network | accuracy % | seconds |");
    out.println("|---|---|---|---|---|---|---|");
    Row whole = row(new Never(), Criterion.PER_LAYER, PruningSettings.DEFAULT_SPARSITY);
    print(out, "never", "", 0, whole, whole);
    for (double sparsity : sparsities) {
      for (String criterion : criteria) {
        for (String time : times) {
          Row row = row(when(time), criterion(criterion), sparsity);
          print(out, time, criterion, sparsity, row, whole);
        }
      }
    }
    return 0;
  }

  private static void print(
      PrintStream out, String time, String criterion, double sparsity, Row row, Row whole) {
    out.printf(
        "| %s | %s | %s | %.4f ± %.4f | %+.1f %% | %.2f | %.1f |%n",
        time,
        criterion,
        sparsity,
        Row.mean(row.losses()),
        Row.deviation(row.losses()),
        100 * (Row.mean(row.losses()) / Row.mean(whole.losses()) - 1),
        100 * Row.mean(row.accuracies()),
        Row.mean(row.seconds()));
    out.flush();
  }

  private Row row(Pruning when, Criterion criterion, double sparsity) {
    Row row = new Row(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int seed : IntStream.range(0, seeds).toArray()) {
      long begin = System.nanoTime();
      PrunedResult run =
          training()
              .pruning(
                  PruningSettings.DEFAULT
                      .withWhen(when)
                      .withSparsity(sparsity)
                      .withCriterion(criterion))
              .seed(seed)
              .train();
      Score score = Objects.requireNonNull(run.result().validation());
      row.losses().add(score.loss());
      row.accuracies().add(score.accuracy());
      row.seconds().add((System.nanoTime() - begin) / 1e9);
    }
    return row;
  }

  private PrunedTraining training() {
    PrunedTraining training = data == null ? PrunedTraining.onJdkText() : PrunedTraining.on(data);
    training =
        training
            .model(
                ModelSettings.named(model).withWidth(width).withLayers(layers).withLength(length))
            .iterations(
                IterationSettings.DEFAULT
                    .withIterations(iterations)
                    .withEvaluateEvery(iterations)
                    .withEvaluateSamples(2000))
            .batches(BatchSettings.DEFAULT.withBatch(batch).withMicrobatch(microbatch));
    if (rate != null) {
      training = training.learningRate(rate);
    }
    return threads == null ? training : training.threads(threads);
  }

  private Pruning when(String name) {
    String[] words = name.split(":", -1);
    return switch (words[0]) {
      case "one-shot" -> new OneShot(words.length == 1 ? iterations / 5 : share(words[1]));
      case "early-bird" -> EarlyBird.DEFAULT;
      case "gradual" ->
          words.length == 3
              ? new Gradual(share(words[1]), share(words[2]), Pruning.DEFAULT_MASK_EVERY)
              : Gradual.DEFAULT;
      default -> throw new InvalidSettingException("when: found " + name);
    };
  }

  /// Iterations of a share in percent.
  private int share(String percent) {
    return Integer.parseInt(percent) * iterations / 100;
  }

  private static Criterion criterion(String name) {
    return Criterion.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
