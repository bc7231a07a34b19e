package dev.gossamer.cli.export;

import dev.gossamer.GraphModel;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.ForceOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.WrittenFiles;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.onnx.OnnxModel;
import dev.gossamer.pruned.PrunedModel;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.tables.TableTarget;
import dev.gossamer.tables.Tables;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "export",
    description = {
      "Write a trained model for other programs, such as ONNX Runtime.",
      "Takes runs of 'train' of every kind, and of 'prune train'. The ONNX file of a graph network takes features and"
          + " edges, and computes what 'predict' does from all neighbours; docs/export.md shows how to serve it from Java.",
      "Predictions and embeddings are tables: 'predict --out FILE.parquet' writes those. Weights of pruned networks"
          + " without their zeros, and GPT-2's layout, come from 'prune export'.",
    },
    sortOptions = false,
    showDefaultValues = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer export runs/20260131-101500-cora --out cora.onnx",
      "      a file for ONNX Runtime: features and edges in, probabilities out",
      "  gossamer export runs/20260131-101500-cora --format npy --out cora-weights/",
      "      a folder with one NumPy array for each parameter",
      "  gossamer export runs/20260131-101500-jdk-text --out jdk.onnx",
      "      a pruned network, with zeros for pruned weights",
    })
public final class ExportCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Parameters(
      paramLabel = "RUN",
      description = "Folder of a finished training run, or its model.safetensors.")
  Path run = Path.of("");

  /// What is written.
  enum Format {
    /// A graph of operators with the weights.
    ONNX("model.onnx"),
    /// The model file.
    SAFETENSORS("model.safetensors"),
    /// A folder of arrays.
    NPY(null),
    /// A table of all elements that are not 0.
    PARQUET("weights.parquet");

    /// In a folder; null of what is a folder itself.
    private final @Nullable String fileName;

    Format(@Nullable String fileName) {
      this.fileName = fileName;
    }
  }

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "onnx",
      description =
          "onnx, safetensors (all parameters, and the description of the model in the metadata), npy (a folder with one"
              + " array for each parameter, and the description) or parquet (a table with a row for each weight that is not"
              + " 0) (default: ${DEFAULT-VALUE}).")
  Format format = Format.ONNX;

  @Option(
      names = "--out",
      paramLabel = "PATH",
      required = true,
      description =
          "File to write, or a folder in which it gets its usual name; with --format npy the folder, which replaces an"
              + " earlier export, but never a folder with other files.")
  Path out = Path.of("");

  @Mixin ForceOptions existing = new ForceOptions();

  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    Path target = target();
    Model model = Model.open(run);
    OnnxModel onnx = null;
    switch (format) {
      case ONNX -> {
        onnx = model.onnx().get();
        onnx.write(target);
      }
      case SAFETENSORS -> model.tensors().accept(target);
      case NPY -> model.arrays().accept(target);
      case PARQUET ->
          Tables.write(ParameterTable.of(model.values().get()), new TableTarget.File(target));
    }
    report(target, onnx);
    return 0;
  }

  /// Returns what is written, after a check that it may be.
  private Path target() {
    if (format.fileName == null) {
      if (existing.force) {
        throw new InvalidSettingException(
            "{force}: a folder of {format} npy replaces an earlier one anyway; leave it out");
      }
      return out;
    }
    Path file = Files.isDirectory(out) ? out.resolve(format.fileName) : out;
    existing.requireNew(file);
    if (format == Format.PARQUET) {
      Tables.requireWritable(new TableTarget.File(file));
    }
    return file;
  }

  /// How a model of either family is written.
  private record Model(
      Supplier<OnnxModel> onnx,
      Consumer<Path> tensors,
      Consumer<Path> arrays,
      Supplier<Map<String, Safetensors.Tensor>> values) {
    static Model open(Path path) {
      if (!Files.exists(path) || GraphModel.isAt(path)) {
        GraphModel model = GraphModel.open(path);
        return new Model(
            () -> OnnxModel.of(model), model::write, model::writeArrays, model::values);
      }
      PrunedModel model = PrunedModel.open(path);
      return new Model(() -> OnnxModel.of(model), model::write, model::writeArrays, model::values);
    }
  }

  private void report(Path written, @Nullable OnnxModel onnx) {
    PrintWriter printer = spec.commandLine().getOut();
    long bytes = WrittenFiles.bytes(written);
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put(format.fileName == null ? "folder" : "file", written.toString());
      node.put("format", Choice.name(format));
      node.put("bytes", bytes);
      if (onnx != null) {
        put(node.putArray("inputs"), onnx.inputs());
        put(node.putArray("outputs"), onnx.outputs());
      }
      printer.println(JsonOutput.line(node));
    } else {
      printer.printf("written  %s  %s%n", written, MemoryEstimate.readable(bytes));
      if (onnx != null) {
        onnx.inputs().forEach(each -> printer.printf("input    %s%n", each));
        onnx.outputs().forEach(each -> printer.printf("output   %s%n", each));
      }
    }
    printer.flush();
  }

  private static void put(ArrayNode array, List<OnnxModel.Tensor> tensors) {
    for (OnnxModel.Tensor tensor : tensors) {
      ObjectNode node = array.addObject();
      node.put("name", tensor.name());
      node.put("type", Choice.name(tensor.type()));
      ArrayNode shape = node.putArray("shape");
      tensor.shape().forEach(shape::add);
    }
  }
}
