package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.Recommendations;
import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.FlagGroup;
import dev.gossamer.cli.terminal.GroupedHelp;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.tables.Tables;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "recommend",
    description = {
      "Recommend, to each vertex, others that are likeliest to have an edge with it and have none yet.",
      "Needs a model of 'train --task links'. Compares the vectors of all vertices, which are computed over all edges,"
          + " also those that training has held out. In a graph of several types of vertices, recommends only those of a"
          + " type to which there are edges: to users goods, not users.",
    },
    sortOptions = false,
    abbreviateSynopsis = true,
    modelTransformer = GroupedHelp.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer recommend runs/20260131-101500-shop --for alice,bob",
      "      ten for each of two vertices, on the terminal",
      "  gossamer recommend runs/20260131-101500-shop --top 5 --out recommended.parquet",
      "      five for each vertex, as a table: id, rank, other, probability",
      "  gossamer recommend runs/20260131-101500-films --for 'The Third Man' --edge-type directed_by",
      "      by edges of one type, of a model that tells types apart",
    })
public final class RecommendCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @FlagGroup(
      value = "Data:",
      sentence = "Needed to use other data than that of the run, or fewer neighbours.")
  @Mixin
  ModelOptions options = new ModelOptions();

  @FlagGroup(
      value = "Recommendations:",
      sentence = "Needed to choose for which vertices, how many, and where they go.")
  @Mixin
  RecommendationOptions wanted = new RecommendationOptions();

  @FlagGroup("Output:")
  @Mixin
  MemoryOptions memory = new MemoryOptions();

  @FlagGroup("Output:")
  @Mixin
  CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    options.use(common, memory, new Recommending(wanted.output()));
    return 0;
  }

  private final class Recommending implements ModelOptions.Purpose<Recommendations> {
    private final PredictionOutput.@Nullable Table to;

    /// Null until they are asked for.
    private int @Nullable [] vertices;

    private Recommending(PredictionOutput.@Nullable Table to) {
      this.to = to;
    }

    private int[] vertices(Dataset dataset) {
      int[] found = vertices == null ? wanted.vertices(dataset) : vertices;
      vertices = found;
      return found;
    }

    @Override
    public MemoryEstimate memory(GraphModel model, Dataset dataset, InferenceSettings settings) {
      return model.recommendationMemory(dataset, vertices(dataset).length, wanted.top, settings);
    }

    @Override
    public Recommendations use(GraphModel model, Dataset dataset, InferenceSettings settings) {
      return model.recommend(dataset, vertices(dataset), wanted.top, wanted.edgeType, settings);
    }

    @Override
    public void report(Dataset dataset, Recommendations found) {
      if (to != null) {
        Tables.write(RecommendationTable.of(found), to.target());
      }
      print(dataset, found, to);
    }
  }

  private void print(Dataset dataset, Recommendations found, PredictionOutput.@Nullable Table to) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("dataset", dataset.name());
      node.put("vertices", found.count());
      if (to == null) {
        put(node.putArray("recommendations"), found);
      } else {
        to.put(node);
      }
      out.println(JsonOutput.line(node));
    } else if (to == null) {
      table(found).print(out);
    } else {
      out.printf("recommendations for %,d vertices in %s%n", found.count(), to.text());
    }
    out.flush();
  }

  private static void put(ArrayNode array, Recommendations found) {
    for (int i = 0; i < found.count(); i++) {
      ObjectNode each = array.addObject();
      each.put("vertex", found.name(i));
      ArrayNode items = each.putArray("items");
      for (Recommendations.Item item : found.items(i)) {
        items.addObject().put("vertex", item.name()).put("probability", item.probability());
      }
    }
  }

  private static Table table(Recommendations found) {
    Table table = new Table().row("vertex", "rank", "other", "probability");
    for (int i = 0; i < found.count(); i++) {
      int rank = 1;
      for (Recommendations.Item item : found.items(i)) {
        String probability = String.format(Locale.ROOT, "%.4f", item.probability());
        table.row(found.name(i), rank++, item.name(), probability);
      }
    }
    return table;
  }
}
