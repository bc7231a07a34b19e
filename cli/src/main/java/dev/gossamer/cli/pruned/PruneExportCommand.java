package dev.gossamer.cli.pruned;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.ForceOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.WrittenFiles;
import dev.gossamer.pruned.ModelFormat;
import dev.gossamer.pruned.PrunedModel;
import dev.gossamer.run.memory.MemoryEstimate;
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
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "export",
    description = "Write a trained network as a safetensors file.",
    sortOptions = false,
    showDefaultValues = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer prune export runs/20260131-101500-jdk-text --out jdk.safetensors",
      "      all parameters, with zeros for pruned weights, for other programs",
      "  gossamer prune export jdk.safetensors --format compressed --out models/",
      "      only the survivors, as models/model-compressed.safetensors",
      "  gossamer prune export jdk.safetensors --format mask --out mask.safetensors",
      "      which parameters survive, for 'prune train --mask'",
      "  gossamer prune export runs/20260131-101500-jdk-text --layout huggingface --out gpt/",
      "      a folder in the layout of GPT-2, for Hugging Face's transformers",
    })
final class PruneExportCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Parameters(
      paramLabel = "RUN",
      description = "Folder of a finished run of 'prune train', or a model file.")
  Path run = Path.of("");

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "dense",
      description =
          "dense (zeros for pruned weights), compressed (the surviving weights and their positions) or mask (only the"
              + " positions) (default: ${DEFAULT-VALUE}).")
  ModelFormat format = ModelFormat.DENSE;

  /// Names and files of an exported network.
  enum Layout {
    /// Those of Gossamer.
    GOSSAMER,
    /// Those of GPT-2 as published: config.json, model.safetensors and the files of the tokens.
    HUGGINGFACE
  }

  @Option(
      names = "--layout",
      paramLabel = "LAYOUT",
      defaultValue = "gossamer",
      description =
          "gossamer, or huggingface: a folder with config.json, model.safetensors and the tokens, as GPT-2 is"
              + " published (default: ${DEFAULT-VALUE}).")
  Layout layout = Layout.GOSSAMER;

  @Option(
      names = "--out",
      paramLabel = "PATH",
      required = true,
      description =
          "File to write, or a folder in which it gets its usual name; replaced only with --force. With --layout"
              + " huggingface, a folder, which replaces an earlier export but never a folder with other files.")
  Path out = Path.of("");

  @Mixin ForceOptions existing = new ForceOptions();

  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    Path file = written();
    PrintWriter printer = spec.commandLine().getOut();
    long bytes = WrittenFiles.bytes(file);
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("file", file.toString());
      node.put("format", Choice.name(format));
      node.put("layout", Choice.name(layout));
      node.put("bytes", bytes);
      printer.println(JsonOutput.line(node));
    } else {
      printer.printf("written  %s  %s%n", file, MemoryEstimate.readable(bytes));
    }
    printer.flush();
    return 0;
  }

  private Path written() {
    PrunedModel model = PrunedModel.open(run);
    if (layout == Layout.GOSSAMER) {
      existing.requireNew(Files.isDirectory(out) ? out.resolve(format.fileName()) : out);
      return model.write(out, format);
    }
    if (format != ModelFormat.DENSE) {
      throw new InvalidInputException(
          "--format: expected dense with --layout huggingface, found " + Choice.name(format));
    }
    if (existing.force) {
      throw new InvalidSettingException(
          "{force}: a folder of {layout} huggingface replaces an earlier one anyway; leave it out");
    }
    return model.writeHuggingFace(out);
  }
}
