package dev.gossamer.cli.graph;

import dev.gossamer.ClassEvaluation;
import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.LabelEvaluation;
import dev.gossamer.LinkEvaluation;
import dev.gossamer.cli.data.DatasetText;
import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.FlagGroup;
import dev.gossamer.cli.terminal.GroupedHelp;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "evaluate",
    description = {
      "Score a trained model on each part of a data set, and on each class of the test part.",
      "Computes layer by layer in small blocks of vertices, so memory is bounded regardless of how the model was"
          + " trained.",
    },
    sortOptions = false,
    abbreviateSynopsis = true,
    modelTransformer = GroupedHelp.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer evaluate runs/20260131-101500-jdk-classes",
      "      the scores on the data of the run",
      "  gossamer evaluate runs/20260131-101500-cora --data other-cora/ --json",
      "      on another data set with the same features and classes",
      "  gossamer evaluate runs/20260131-101500-products --fanout 20 --ranks 4",
      "      with 20 neighbours per vertex and layer, shared by four ranks",
      "  gossamer evaluate runs/20260131-101500-shop --heuristics",
      "      a model of 'train --task links' beside scores that need no model",
    })
public final class EvaluateCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @FlagGroup(
      value = "Data:",
      sentence = "Needed to use other data than that of the run, or fewer neighbours.")
  @Mixin
  ModelOptions options = new ModelOptions();

  @Option(
      names = "--heuristics",
      description =
          "Of a model that predicts edges: rank the test edges by common neighbours, Adamic-Adar and Katz, too.")
  boolean heuristics;

  @FlagGroup("Output:")
  @Mixin
  MemoryOptions memory = new MemoryOptions();

  @FlagGroup("Output:")
  @Mixin
  CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    options.use(common, memory, new Evaluating());
    return 0;
  }

  private final class Evaluating implements ModelOptions.Purpose<Found> {
    @Override
    public MemoryEstimate memory(GraphModel model, Dataset dataset, InferenceSettings settings) {
      return heuristics
          ? model.linkEvaluationMemory(dataset, settings)
          : model.evaluationMemory(dataset, settings);
    }

    @Override
    public Found use(GraphModel model, Dataset dataset, InferenceSettings settings) {
      if (heuristics) {
        LinkEvaluation found = model.evaluateLinks(dataset, settings);
        return new Found(found.scores(), null, null, found);
      }
      return switch (model.task()) {
        case CLASSIFICATION -> {
          ClassEvaluation found = model.evaluateClasses(dataset, settings);
          yield new Found(found.scores(), found, null, null);
        }
        case MULTI_LABEL -> {
          LabelEvaluation found = model.evaluateLabels(dataset, settings);
          yield new Found(found.scores(), null, found, null);
        }
        case REGRESSION, LINKS -> new Found(model.evaluate(dataset, settings), null, null, null);
      };
    }

    @Override
    public void report(Dataset dataset, Found found) {
      print(dataset, found);
    }
  }

  /// The scores of a model.
  ///
  /// @param classes those of each class; null if no classes are predicted
  /// @param labels those of each label; null if no labels are predicted
  /// @param links those of heuristics; null if nobody asked for them
  private record Found(
      Evaluation scores,
      @Nullable ClassEvaluation classes,
      @Nullable LabelEvaluation labels,
      @Nullable LinkEvaluation links) {}

  private void print(Dataset dataset, Found found) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("dataset", dataset.name());
      TrainReport.put(node, "train", found.scores().train());
      TrainReport.put(node, "validation", found.scores().validation());
      TrainReport.put(node, "test", found.scores().test());
      if (found.classes() != null) {
        put(node, found.classes());
      }
      if (found.labels() != null) {
        LabelReport.of(found.labels()).forEach(report -> report.put(node));
      }
      if (found.links() != null) {
        ObjectNode each = node.putObject("heuristics");
        found
            .links()
            .heuristics()
            .forEach((heuristic, scores) ->
                TrainReport.put(each.putObject(Choice.name(heuristic)), "test", scores));
      }
      node.put("run_folder", options.path().toString());
      out.println(JsonOutput.line(node));
    } else {
      DatasetText.print(dataset.data(), out);
      TrainReport.table(found.scores()).print(out);
      if (found.classes() != null) {
        ClassReport.ofLastPart(found.classes()).print(out);
      }
      if (found.labels() != null) {
        LabelReport.of(found.labels()).getLast().print(out);
      }
      if (found.links() != null) {
        out.println();
        TrainReport.table(found.links()).print(out);
      }
    }
    out.flush();
  }

  private static void put(ObjectNode node, ClassEvaluation found) {
    ArrayNode names = node.putArray("class_names");
    found.classes().forEach(names::add);
    List.of(
            new ClassReport("train", found.classes(), found.train()),
            new ClassReport("validation", found.classes(), found.validation()),
            new ClassReport("test", found.classes(), found.test()))
        .forEach(report -> report.put(node));
  }
}
