package dev.gossamer.cli.pruned;

import dev.gossamer.cli.data.PrunedRunData;
import dev.gossamer.cli.machine.ThreadsOptions;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.ProgressLine;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.pruned.EvaluationSettings;
import dev.gossamer.pruned.PrunedModel;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.pipeline.Score;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "evaluate",
    description = "Score a trained network on parts of some data.",
    sortOptions = false,
    showDefaultValues = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer prune evaluate runs/20260131-101500-jdk-text",
      "      loss and perplexity (or accuracy) of all validation and test samples",
      "  gossamer prune evaluate runs/20260131-101500-mnist --part train --json",
      "  gossamer prune evaluate shakespeare.safetensors --data input.txt",
      "      a model file that was exported or moved",
    })
final class PruneEvaluateCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Parameters(
      paramLabel = "RUN",
      description = "Folder of a finished run of 'prune train', or a model file.")
  Path run = Path.of("");

  @Option(
      names = "--data",
      paramLabel = "PATH",
      description = "A text or images, as for 'prune train' (default: the data of the run).")
  @Nullable Path data;

  @Option(
      names = "--part",
      paramLabel = "PART",
      split = ",",
      defaultValue = "validation,test",
      description =
          "Parts of the data: train, validation, test; samples of a text are windows that do not overlap"
              + " (default: ${DEFAULT-VALUE}).")
  List<Part> parts = List.of(Part.VALIDATION, Part.TEST);

  @Option(
      names = "--samples",
      paramLabel = "N",
      description = "Maximum samples of each part (default: all).")
  long samples = EvaluationSettings.DEFAULT.samples();

  @Mixin ThreadsOptions machine = new ThreadsOptions();
  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    EvaluationSettings settings =
        EvaluationSettings.DEFAULT.withSamples(samples).withThreads(machine.threads(1));
    PrunedModel model = PrunedModel.open(run);
    try (Corpus corpus = new PrunedRunData(run).open(model, data, common.quiet)) {
      Map<Part, Score> scores = new EnumMap<>(Part.class);
      for (Part part : parts) {
        if (corpus.size(part) > 0) {
          scores.put(part, evaluate(model, corpus, part, settings));
        }
      }
      print(corpus, scores);
    }
    return 0;
  }

  private Score evaluate(PrunedModel model, Corpus corpus, Part part, EvaluationSettings settings) {
    long total = Math.min(samples, corpus.size(part));
    try (ProgressLine progress =
        new ProgressLine(part.toString(), "samples", total, common.quiet)) {
      return model.evaluate(corpus, part, settings, done -> progress.update(done, ""));
    }
  }

  private void print(Corpus corpus, Map<Part, Score> scores) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("data", corpus.name());
      scores.forEach((part, score) -> PruneReport.put(node, part.toString(), score));
      node.put("run", run.toString());
      out.println(JsonOutput.line(node));
    } else {
      out.println("data     " + corpus.description());
      Table table = new Table();
      boolean text = scores.values().stream().anyMatch(score -> score.text() != null);
      table.row(
          row(
              text,
              "",
              "loss",
              "perplexity",
              "accuracy",
              "predictions",
              "bits/byte",
              "word perplexity"));
      scores.forEach((part, score) ->
          table.row(
              row(
                  text,
                  part,
                  number(score.loss()),
                  number(score.perplexity()),
                  number(score.accuracy()),
                  String.format(Locale.ROOT, "%,d", score.labels()),
                  number(score.bitsPerByte()),
                  number(score.wordPerplexity()))));
      table.print(out);
    }
    out.flush();
  }

  /// The cells of a row, the last two for texts alone.
  private static Object[] row(boolean text, Object... cells) {
    return text ? cells : Arrays.copyOf(cells, cells.length - 2);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.4f", value);
  }
}
