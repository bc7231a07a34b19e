package dev.gossamer.cli;

import dev.gossamer.pruned.GenerationSettings;
import dev.gossamer.pruned.PrunedModel;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "generate",
    description = "Continue a text with a trained language model.",
    sortOptions = false,
    showDefaultValues = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer prune generate runs/20260131-101500-jdk-text --prompt java.util.",
      "  gossamer prune generate shakespeare.safetensors --prompt ROMEO: --count 400",
    })
final class PruneGenerateCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Parameters(
      paramLabel = "RUN",
      description = "Folder of a run of 'prune train' on texts, or a model file.")
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
      defaultValue = "" + GenerationSettings.DEFAULT_COUNT,
      description = "Tokens to add (default: ${DEFAULT-VALUE}).")
  int count;

  @Option(
      names = "--temperature",
      paramLabel = "T",
      defaultValue = "" + GenerationSettings.DEFAULT_TEMPERATURE,
      description =
          "Probabilities are those of the logits divided by it; 0 takes the likeliest token (default: ${DEFAULT-VALUE}).")
  double temperature;

  @Option(
      names = "--top-k",
      paramLabel = "K",
      defaultValue = "" + GenerationSettings.DEFAULT_TOP_K,
      description = "Draw among the K likeliest tokens; 0 for all (default: ${DEFAULT-VALUE}).")
  int topK;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "Seed of the draws (default: ${DEFAULT-VALUE}).")
  long seed;

  @Mixin MachineOptions machine = new MachineOptions();
  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    print(PrunedModel.open(run).generate(prompt, settings()));
    return 0;
  }

  GenerationSettings settings() {
    return new GenerationSettings(count, temperature, topK, seed, machine.threads(1));
  }

  private void print(String text) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("prompt", prompt);
      node.put("text", text);
      out.println(JsonOutput.line(node));
    } else {
      out.println(prompt.stripLeading() + text);
    }
    out.flush();
  }
}
