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
import dev.gossamer.tables.TableSource;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
      "With --out FILE.parquet, FILE.csv or 'jdbc:ADDRESS TABLE', writes one table instead: your ids (id), class,"
          + " probability, and on request embedding and a column for each class.",
      "With --pairs TABLE, writes the probability of an edge between the vertices of each row, into such a table.",
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
      "  gossamer predict runs/20260131-101500-payments --out payments.parquet",
      "  gossamer predict runs/shop --out 'jdbc:postgresql://db/shop predictions'",
      "      a table by your ids, to join with your own",
      "  gossamer predict model.safetensors --data new-graph/ --out new-predictions",
      "      a model file predicts on any graph with the same features",
      "  gossamer predict runs/20260131-101500-shop --pairs offers.csv --out scored.csv",
      "      the probability of an edge for each row of a table of two columns: names of vertices",
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
    if (output.pairs != null) {
      PredictionOutput.Table table = output.pairOutput();
      TableSource source = TableSource.parse(output.pairs);
      options.use(
          common,
          memory,
          new PairPrediction(source, table, (dataset, pairs) -> say(dataset, pairs, table)));
      return 0;
    }
    PredictionOutput to = output.output();
    to.requireWritable();
    options.use(common, memory, new Predicting(to));
    return 0;
  }

  private final class Predicting implements ModelOptions.Purpose<Predictions> {
    private final PredictionOutput to;

    private Predicting(PredictionOutput to) {
      this.to = to;
    }

    private InferenceSettings with(GraphModel model, InferenceSettings settings) {
      output.requireFits(model.task());
      long bytes = options.ranks.isFirstProcess() ? to.bytes(numbers(model)) : 0;
      return settings.withContents(output.contents()).withOutputBytes(bytes);
    }

    /// Numbers of a row of the table.
    private long numbers(GraphModel model) {
      int embedding = model.description().network().embeddingWidth(model.classes().size());
      return 1L
          + (output.probabilities || model.task().predictsNumbers() ? model.classes().size() : 0)
          + (output.embeddings ? embedding : 0);
    }

    @Override
    public MemoryEstimate memory(GraphModel model, Dataset dataset, InferenceSettings settings) {
      return model.predictionMemory(dataset, with(model, settings));
    }

    @Override
    public Predictions use(GraphModel model, Dataset dataset, InferenceSettings settings) {
      return model.predict(dataset, with(model, settings));
    }

    @Override
    public void report(Dataset dataset, Predictions predictions) {
      to.write(predictions, output.contents(), output.columns());
      say(dataset, null, to);
    }
  }

  /// @param pairs their number; null of vertices
  private void say(Dataset dataset, @Nullable Integer pairs, PredictionOutput written) {
    PrintWriter to = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("dataset", dataset.name());
      node.put("vertices", dataset.vertices());
      if (pairs != null) {
        node.put("pairs", pairs);
      }
      written.put(node);
      to.println(JsonOutput.line(node));
    } else {
      int count = pairs == null ? dataset.vertices() : pairs;
      to.printf("%,d predictions in %s%n", count, written.text());
    }
    to.flush();
  }
}
