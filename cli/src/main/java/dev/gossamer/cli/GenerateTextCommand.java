package dev.gossamer.cli;

import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.pruned.corpus.TokenFile;
import dev.gossamer.pruned.corpus.Tokenizer;
import dev.gossamer.pruned.pipeline.TextGenerator;
import dev.gossamer.pruned.pipeline.TrainedNetwork;
import dev.gossamer.run.RunFolder;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
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
    name = "generate-text",
    description = "Let a trained language model go on with a text.",
    sortOptions = false,
    showDefaultValues = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer generate-text runs/20260131-101500-jdk --prompt 'java.util.'",
      "  gossamer generate-text runs/20260131-101500-input --prompt ROMEO: --count 400 --temperature 0.8",
    })
final class GenerateTextCommand implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();
  @Mixin MachineOptions machine = new MachineOptions();

  @Parameters(paramLabel = "RUN", description = "Folder of a run of train-dense on texts.")
  Path run = Path.of("");

  @Option(
      names = "--prompt",
      paramLabel = "TEXT",
      defaultValue = "\n",
      description = "What the text begins with (default: a new line).")
  String prompt = "\n";

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "300",
      description = "Tokens to add (default: ${DEFAULT-VALUE}).")
  int count = 300;

  @Option(
      names = "--temperature",
      paramLabel = "T",
      defaultValue = "0.8",
      description =
          "Probabilities are those of the logits divided by it; 0 takes the likeliest token (default: ${DEFAULT-VALUE}).")
  double temperature = 0.8;

  @Option(
      names = "--top-k",
      paramLabel = "K",
      defaultValue = "40",
      description = "Draw among the K likeliest tokens; 0 for all (default: ${DEFAULT-VALUE}).")
  int topK = 40;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "Seed of the draws (default: ${DEFAULT-VALUE}).")
  long seed;

  @Override
  public Integer call() {
    if (count < 1) {
      throw new InvalidInputException("--count: expected at least 1, found " + count);
    }
    if (!(temperature >= 0 && temperature <= 100)) {
      throw new InvalidInputException("--temperature: expected 0 to 100, found " + temperature);
    }
    if (topK < 0) {
      throw new InvalidInputException("--top-k: expected at least 0, found " + topK);
    }
    RunFolder folder = RunFolder.open(run);
    Path tokens = folder.path().resolve("tokens.json");
    if (!Files.exists(tokens)) {
      throw new InvalidInputException(
          "%s: expected the tokens of a language model, found none; give the folder of a finished run of train-dense on texts"
              .formatted(tokens));
    }
    Tokenizer tokenizer = TokenFile.read(tokens);
    int[] start = tokenizer.encode(prompt);
    if (start.length == 0) {
      throw new InvalidInputException("--prompt: expected a character, found none");
    }
    try (Workers workers = new Workers(machine.threads(1));
        TrainedNetwork network =
            TrainedNetwork.open(folder, DenseModelOptions::described, 1, workers)) {
      TextGenerator generator = new TextGenerator(network);
      int[] added = generator.goOn(start, count, temperature, topK, seed);
      print(tokenizer.text(added));
    }
    return 0;
  }

  private void print(String text) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = new JsonMapper().createObjectNode();
      node.put("prompt", prompt);
      node.put("text", text);
      out.println(node);
    } else {
      out.println(prompt.stripLeading() + text);
    }
    out.flush();
  }
}
