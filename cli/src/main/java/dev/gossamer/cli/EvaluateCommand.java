package dev.gossamer.cli;

import dev.gossamer.graph.GraphData;
import dev.gossamer.run.Evaluation;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "evaluate",
    description = "Score a trained model on each part of a data set.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer evaluate --run runs/20260131-101500-jdk-classes",
      "  gossamer evaluate --run runs/20260131-101500-cora --data other-cora/ --json",
    })
final class EvaluateCommand implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();
  @Mixin TrainedModel model = new TrainedModel();

  @Override
  public Integer call() {
    model.use(common, (dataset, trainer) -> print(dataset, trainer.evaluate()));
    return 0;
  }

  private void print(GraphData dataset, Evaluation scores) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      JsonMapper json = new JsonMapper();
      ObjectNode node = json.createObjectNode();
      node.put("dataset", dataset.name());
      TrainReport.put(node, "train", scores.train());
      TrainReport.put(node, "validation", scores.validation());
      TrainReport.put(node, "test", scores.test());
      node.put("run_folder", model.run.toString());
      out.println(json.writeValueAsString(node));
    } else {
      DatasetText.print(dataset, out);
      TrainReport.table(scores).print(out);
    }
    out.flush();
  }
}
