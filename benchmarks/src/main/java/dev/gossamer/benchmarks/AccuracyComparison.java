package dev.gossamer.benchmarks;

import dev.gossamer.Dataset;
import dev.gossamer.GraphTraining;
import dev.gossamer.TrainingFacts;
import dev.gossamer.TrainingResult;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.SamplerRequest;
import dev.gossamer.gnn.sampling.Samplers;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.LayerKinds;
import dev.gossamer.run.Evaluation;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// What minibatches learn beside what the whole graph teaches in as many epochs: test accuracy, or
/// the ROC-AUC of two classes, of each model by sampler, ranks and where remote rows come from,
/// over several seeds, with every other setting at its default.
@Command(name = "accuracy", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class AccuracyComparison implements Callable<Integer> {
  @Option(
      names = "--data",
      split = ",",
      required = true,
      description = "data sets, by name or path")
  private List<String> data = List.of();

  @Option(names = "--models", split = ",", description = "kinds of layers")
  private List<String> models = List.of("sage", "gcn", "gat");

  @Option(names = "--samplers", split = ",", description = "kinds of samplers")
  private List<String> samplers = List.of("sage", "ladies", "saint-walk", "saint-edge");

  @Option(names = "--ranks", split = ",", description = "ranks, as threads")
  private List<Integer> ranks = List.of(1, 4, 8);

  @Option(names = "--epochs", description = "of every training")
  private int epochs = 30;

  @Option(names = "--hidden", description = "width of the hidden layer")
  private int hidden = 64;

  @Option(names = "--input-dropout", description = "share of input features dropped")
  private @Nullable Double inputDropout;

  @Option(names = "--batch", description = "training vertices of a step; 0 for the usual number")
  private int batch;

  @Option(names = "--seeds", description = "how many, one after the other")
  private int seeds = 3;

  @Option(names = "--first-seed", description = "the first of them")
  private int firstSeed;

  @Option(names = "--no-historical", description = "leave historical embeddings out")
  private boolean withoutHistorical;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new AccuracyComparison()).execute(arguments));
  }

  /// A way to train; without a sampler, on the whole graph.
  private record Way(@Nullable String sampler, int ranks, boolean historical) {
    String text() {
      return sampler == null
          ? "whole graph | 1 | "
          : "%s | %d | %s".formatted(sampler, ranks, historical ? "historical" : "exact");
    }

    GraphTraining of(GraphTraining training, int layers, int batch) {
      if (sampler == null) {
        return training;
      }
      Sampler made = Samplers.of(sampler).make(SamplerRequest.ofLayers(layers));
      MinibatchSettings usual = MinibatchSettings.of(made).withAutomaticBulk();
      MinibatchSettings settings = batch == 0 ? usual : usual.withBatchSize(batch);
      return training
          .ranks(ranks)
          .minibatches(historical ? settings.withOwnBatches(HistoricalSettings.DEFAULT) : settings);
    }
  }

  /// Test scores in percent, one per seed, and bytes that were sent in an epoch.
  private record Row(List<Double> accuracies, double bytes) {
    double mean() {
      return accuracies.stream().mapToDouble(a -> a).average().orElse(Double.NaN);
    }

    double deviation() {
      double mean = mean();
      double squares = accuracies.stream().mapToDouble(a -> (a - mean) * (a - mean)).sum();
      return accuracies.size() < 2 ? 0 : Math.sqrt(squares / (accuracies.size() - 1));
    }
  }

  @Override
  public Integer call() {
    PrintStream out = System.out;
    out.print(Machine.here().text());
    out.printf("%n| data | model | sampler | ranks | remote rows | test %% | beside | MB |%n");
    out.println("|---|---|---|---|---|---|---|---|");
    for (String name : data) {
      try (Dataset dataset = Dataset.open(name)) {
        for (String model : models) {
          compare(out, dataset, LayerKinds.named(model));
        }
      }
    }
    return 0;
  }

  private void compare(PrintStream out, Dataset dataset, LayerKind kind) {
    double whole = Double.NaN;
    for (Way way : ways()) {
      String cells = "| %s | %s | %s".formatted(dataset.name(), kind.name(), way.text());
      try {
        Row row = row(dataset, kind, way);
        whole = way.sampler() == null ? row.mean() : whole;
        out.printf(
            Locale.ROOT,
            "%s | %.2f ± %.2f | %+.2f | %.2f |%n",
            cells,
            row.mean(),
            row.deviation(),
            row.mean() - whole,
            row.bytes() / 1e6);
      } catch (InvalidSettingException e) {
        out.printf("%s | refused: %s | | |%n", cells, e.getMessage());
      }
      out.flush();
    }
  }

  private List<Way> ways() {
    List<Way> ways = new ArrayList<>();
    ways.add(new Way(null, 1, false));
    for (String sampler : samplers) {
      for (int count : ranks) {
        ways.add(new Way(sampler, count, false));
        if (count > 1 && !withoutHistorical) {
          ways.add(new Way(sampler, count, true));
        }
      }
    }
    return Collections.unmodifiableList(ways);
  }

  private Row row(Dataset dataset, LayerKind kind, Way way) {
    GraphTraining usual = GraphTraining.on(dataset).layers(kind, hidden).epochs(epochs);
    GraphTraining training =
        way.of(inputDropout == null ? usual : usual.dropout(0.5, inputDropout), 2, batch);
    List<TrainingResult> results =
        IntStream.range(firstSeed, firstSeed + seeds)
            .mapToObj(seed -> training.seed(seed).train())
            .toList();
    return new Row(
        results.stream().map(r -> 100 * score(r.evaluation().test())).toList(),
        results.stream().mapToDouble(r -> bytes(r.facts())).average().orElse(0));
  }

  private static double score(Evaluation.Scores scores) {
    return scores.rocAuc().orElse(scores.accuracy());
  }

  private static double bytes(@Nullable TrainingFacts facts) {
    return switch (facts) {
      case null -> 0;
      case TrainingFacts.Sent sent -> sent.bytes().stream().mapToLong(b -> b).sum();
      case TrainingFacts.Sampled sampled ->
          sampled.fetched().bytes()
              + (sampled.historical() == null ? 0 : sampled.historical().pushedBytes());
    };
  }
}
