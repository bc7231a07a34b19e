package dev.gossamer.cli.pruned;

import dev.gossamer.cli.machine.ThreadsOptions;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.pruned.GenerationSettings;
import dev.gossamer.pruned.PrunedModel;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
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
      "  gossamer prune generate RUN --prompt ROMEO: --top-k 0 --top-p 0.9 --stop JULIET:",
      "      draws among the likeliest tokens that have 90 %% of the probability, up to a name",
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
      description = "Beginning of the text (default: a new line).")
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
          "Divide the logits by this number; 0 takes the likeliest token (default: ${DEFAULT-VALUE}).")
  double temperature;

  @Option(
      names = "--top-k",
      paramLabel = "K",
      defaultValue = "" + GenerationSettings.DEFAULT_TOP_K,
      description = "Draw among the K likeliest tokens; 0 for all (default: ${DEFAULT-VALUE}).")
  int topK;

  @Option(
      names = "--top-p",
      paramLabel = "P",
      defaultValue = "" + GenerationSettings.DEFAULT_TOP_P,
      description =
          "Draw among the likeliest tokens with this total probability, after --top-k (default: ${DEFAULT-VALUE}).")
  double topP;

  @Option(
      names = "--stop",
      paramLabel = "TEXT",
      description =
          "End the text before TEXT; may be given several times. The token that ends GPT-2's texts always"
              + " ends it.")
  List<String> stop = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "Seed of the draws (default: ${DEFAULT-VALUE}).")
  long seed;

  @Mixin ThreadsOptions machine = new ThreadsOptions();
  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    PrunedModel model = PrunedModel.open(run);
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("prompt", prompt);
      node.put("text", model.generate(prompt, settings()));
      out.println(JsonOutput.line(node));
    } else {
      Printed printed = new Printed(out, prompt.stripLeading());
      model.generate(prompt, settings(), printed);
      printed.accept("\n");
    }
    out.flush();
    return 0;
  }

  /// Text on its way to a terminal, behind what is printed only once there is some.
  private static final class Printed implements Consumer<String> {
    private final PrintWriter out;
    private String before;

    Printed(PrintWriter out, String before) {
      this.out = out;
      this.before = before;
    }

    @Override
    public void accept(String piece) {
      out.print(before);
      out.print(piece);
      out.flush();
      before = "";
    }
  }

  GenerationSettings settings() {
    return new GenerationSettings(count, temperature, topK, topP, stop, seed, machine.threads(1));
  }
}
