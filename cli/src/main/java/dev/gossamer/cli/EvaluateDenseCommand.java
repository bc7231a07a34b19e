package dev.gossamer.cli;

import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.layers.DenseNetwork;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.pruned.pipeline.TrainedNetwork;
import dev.gossamer.run.RunFolder;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "evaluate-dense",
    description = "Score a network that train-dense has trained on parts of its data.",
    sortOptions = false,
    showDefaultValues = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer evaluate-dense runs/20260131-101500-jdk",
      "      loss and perplexity (or accuracy) of all validation and test samples",
      "  gossamer evaluate-dense runs/20260131-101500-mnist --part train --samples 5000 --json",
    })
final class EvaluateDenseCommand implements Callable<Integer> {
  private static final int BATCH = 8;

  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();
  @Mixin MachineOptions machine = new MachineOptions();

  @Parameters(paramLabel = "RUN", description = "Folder of a finished run of train-dense.")
  Path run = Path.of("");

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
      description = "Samples of each part, at most (default: all).")
  long samples = Long.MAX_VALUE;

  @Override
  public Integer call() {
    if (samples < 1) {
      throw new InvalidInputException("--samples: expected at least 1, found " + samples);
    }
    RunFolder folder = RunFolder.open(run);
    TrainDenseCommand trained = ConfigFile.read(folder.config()).settle(new TrainDenseCommand());
    try (Corpus corpus = trained.data.open(trained.model.length(), common.quiet);
        Workers workers = new Workers(machine.threads(1))) {
      DenseNetwork network = trained.model.network(corpus, trained.seed);
      try (TrainedNetwork model = TrainedNetwork.open(folder, _ -> network, BATCH, workers)) {
        Map<Part, Score> scores = new EnumMap<>(Part.class);
        for (Part part : parts) {
          if (corpus.size(part) > 0) {
            scores.put(part, evaluate(model, corpus, part));
          }
        }
        print(corpus, scores);
      }
    }
    return 0;
  }

  private Score evaluate(TrainedNetwork model, Corpus corpus, Part part) {
    long total = Math.min(samples, corpus.size(part));
    try (ProgressLine progress =
        new ProgressLine(part.toString(), "samples", total, common.quiet)) {
      return model.evaluate(corpus, part, samples, done -> progress.update(done, ""));
    }
  }

  private void print(Corpus corpus, Map<Part, Score> scores) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      JsonMapper json = new JsonMapper();
      ObjectNode node = json.createObjectNode();
      node.put("data", corpus.name());
      scores.forEach((part, score) -> DenseReport.put(node, part.toString(), score));
      node.put("run", run.toString());
      out.println(json.writeValueAsString(node));
    } else {
      out.println("data     " + corpus.description());
      Table table = new Table();
      table.row("", "loss", "perplexity", "accuracy", "predictions");
      scores.forEach((part, score) ->
          table.row(
              part,
              number(score.loss()),
              number(score.perplexity()),
              number(score.accuracy()),
              String.format(Locale.ROOT, "%,d", score.labels())));
      table.print(out);
    }
    out.flush();
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.4f", value);
  }
}
