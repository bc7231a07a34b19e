package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.Predictions;
import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.FlagGroup;
import dev.gossamer.cli.terminal.GroupedHelp;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "predict",
    description = {
      "Predict the class of every vertex.",
      "Writes predictions.csv (vertex, class, probability), probabilities.npy (float32, vertices x classes) and, with"
          + " --embeddings, embeddings.npy (float32, vertices x hidden).",
      "Computes layer by layer in small blocks of vertices, so memory is bounded regardless of how the model was"
          + " trained.",
    },
    sortOptions = false,
    abbreviateSynopsis = true,
    modelTransformer = GroupedHelp.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer predict runs/20260131-101500-jdk-classes --out predictions",
      "  gossamer predict runs/20260131-101500-cora --embeddings --out cora-predictions",
      "  gossamer predict runs/20260131-101500-payments --probabilities --out scores",
      "      a table with the probability of each class, to sort by",
      "  gossamer predict model.safetensors --data new-graph/ --out new-predictions",
      "      a model file predicts on any graph with the same features",
    })
public final class PredictCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @FlagGroup(
      value = "Data:",
      sentence = "Needed to use other data than that of the run, or fewer neighbours.")
  @Mixin
  ModelOptions options = new ModelOptions();

  @FlagGroup(
      value = "Output:",
      sentence = "Needed to choose where the files go and what is in them.")
  @Mixin
  PredictionOptions output = new PredictionOptions();

  @FlagGroup("Output:")
  @Mixin
  MemoryOptions memory = new MemoryOptions();

  @FlagGroup("Output:")
  @Mixin
  CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    Predictions.requireReplaceable(output.folder);
    options.use(common, memory, new Predicting());
    return 0;
  }

  private final class Predicting implements ModelOptions.Purpose<Predictions> {
    private InferenceSettings with(InferenceSettings settings) {
      return settings.withContents(contents());
    }

    private Predictions.Contents contents() {
      return output.embeddings
          ? Predictions.Contents.EMBEDDINGS
          : Predictions.Contents.PROBABILITIES;
    }

    @Override
    public MemoryEstimate memory(GraphModel model, Dataset dataset, InferenceSettings settings) {
      return model.predictionMemory(dataset, with(settings));
    }

    @Override
    public Predictions use(GraphModel model, Dataset dataset, InferenceSettings settings) {
      return model.predict(dataset, with(settings));
    }

    @Override
    public void report(Dataset dataset, Predictions predictions) {
      predictions.write(
          output.folder,
          contents(),
          output.probabilities ? Predictions.Columns.ALL : Predictions.Columns.LIKELIEST);
      say(dataset);
    }
  }

  private void say(Dataset dataset) {
    PrintWriter to = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("dataset", dataset.name());
      node.put("vertices", dataset.vertices());
      node.put("folder", output.folder.toString());
      to.println(JsonOutput.line(node));
    } else {
      to.printf(
          "%,d predictions in %s%n", dataset.vertices(), output.folder.resolve(Predictions.CSV));
    }
    to.flush();
  }
}
