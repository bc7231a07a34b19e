package dev.gossamer.cli;

import dev.gossamer.pruned.ModelFormat;
import dev.gossamer.pruned.PrunedModel;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
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
      "      all parameters with zeros for what is pruned, which other programs read",
      "  gossamer prune export jdk.safetensors --format compressed --out models/",
      "      the survivors alone, as models/model-compressed.safetensors",
      "  gossamer prune export jdk.safetensors --format mask --out mask.safetensors",
      "      which parameters survive, for 'prune train --mask'",
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
          "dense (zeros for what is pruned), compressed (the survivors and their positions) or mask"
              + " (the positions alone) (default: ${DEFAULT-VALUE}).")
  ModelFormat format = ModelFormat.DENSE;

  @Option(
      names = "--out",
      paramLabel = "PATH",
      required = true,
      description = "File to write, or a folder that gets it under its usual name.")
  Path out = Path.of("");

  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    Path file = PrunedModel.open(run).write(out, format);
    PrintWriter printer = spec.commandLine().getOut();
    long bytes = size(file);
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("file", file.toString());
      node.put("format", Choice.name(format));
      node.put("bytes", bytes);
      printer.println(JsonOutput.line(node));
    } else {
      printer.printf("written  %s  %s%n", file, MemoryEstimate.readable(bytes));
    }
    printer.flush();
    return 0;
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
