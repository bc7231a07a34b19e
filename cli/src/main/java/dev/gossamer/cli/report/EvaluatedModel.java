package dev.gossamer.cli.report;

import dev.gossamer.ClassEvaluation;
import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.cli.data.VertexVectors;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.Task;
import org.jspecify.annotations.Nullable;

/// What a model does on the data that it was trained on.
///
/// @param classes scores of each class; null of a model that predicts edges
/// @param map vertices by their vectors; null of a model without hidden layer
record EvaluatedModel(@Nullable ClassEvaluation classes, @Nullable VertexMap map) {
  /// Whether models for a task can be evaluated.
  static boolean isFor(Task task) {
    return task == Task.CLASSIFICATION || task == Task.LINKS;
  }

  /// Evaluates a model, and predicts with it.
  ///
  /// @param model of a task that [#isFor] names
  /// @param dataset with the features that it was trained on
  /// @param known classes of its vertices
  static EvaluatedModel of(
      GraphModel model, Dataset dataset, KnownClasses known, Progress progress) {
    boolean ofEdges = model.task() == Task.LINKS;
    boolean mapped = VertexVectors.width(model) > 0;
    InferenceSettings settings =
        VertexVectors.predicted(model, InferenceSettings.DEFAULT)
            .withOutputBytes(VertexMap.bytes(model, dataset))
            .withProgress(progress);
    VertexMap map = mapped ? VertexMap.of(model.predict(dataset, settings), known, progress) : null;
    return new EvaluatedModel(ofEdges ? null : model.evaluateClasses(dataset, settings), map);
  }
}
