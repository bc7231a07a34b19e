package dev.gossamer.cli.graph;

import dev.gossamer.Predictions;
import dev.gossamer.tables.OutputColumn;
import dev.gossamer.tables.OutputTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/// Predictions as a table: the user's id, the predicted class and its probability or the likely
/// labels, and on request the probability of each and the embedding; or the value of each number.
final class PredictionTable {
  private PredictionTable() {}

  static OutputTable of(
      Predictions predictions, Predictions.Contents contents, Predictions.Columns columns) {
    predictions.requireHas(contents);
    List<OutputColumn> all = new ArrayList<>();
    IntFunction<String> names = predictions::vertexName;
    all.add(NameColumn.of("id", names, NameColumn.areWhole(predictions.vertices(), names)));
    switch (predictions.task()) {
      case CLASSIFICATION -> {
        all.add(new OutputColumn.Text("class", predictions::classNameOf));
        all.add(
            new OutputColumn.Real(
                "probability", v -> (float) predictions.probability(v, predictions.classOf(v))));
      }
      case MULTI_LABEL ->
          all.add(
              new OutputColumn.Text(
                  "labels", v -> String.join(Predictions.LABELS, predictions.labelsOf(v))));
      case REGRESSION, LINKS -> {}
    }
    if (contents == Predictions.Contents.EMBEDDINGS) {
      all.add(
          new OutputColumn.Reals(
              "embedding", predictions.embeddingWidth(), predictions::embedding));
    }
    if (columns == Predictions.Columns.ALL || predictions.task().predictsNumbers()) {
      List<String> classes = predictions.classes();
      for (int i = 0; i < classes.size(); i++) {
        int c = i;
        all.add(new OutputColumn.Real(classes.get(c), v -> (float) predictions.probability(v, c)));
      }
    }
    return new OutputTable(predictions.vertices(), all);
  }
}
