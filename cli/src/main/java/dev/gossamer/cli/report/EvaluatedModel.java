package dev.gossamer.cli.report;

import dev.gossamer.ClassEvaluation;
import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.LabelEvaluation;
import dev.gossamer.Predictions;
import dev.gossamer.cli.data.PrunedRunData;
import dev.gossamer.cli.data.TrainedRun;
import dev.gossamer.cli.data.VertexVectors;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.ProgressLine;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.Task;
import dev.gossamer.pruned.EvaluationSettings;
import dev.gossamer.pruned.PrunedEvaluation;
import dev.gossamer.pruned.PrunedModel;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.Part;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What the model of a run does on the data that it was trained on.
///
/// @param found by task
/// @param map vertices by their vectors; null of a model without hidden layer, and of samples
record EvaluatedModel(Found found, @Nullable VertexMap map) {
  /// What was found.
  sealed interface Found {}

  /// Of a model that predicts a class of each vertex.
  record Classes(ClassEvaluation scores) implements Found {}

  /// Of a model that predicts several labels of each vertex.
  record Labels(LabelEvaluation scores) implements Found {}

  /// Of a model that predicts numbers of each vertex.
  record Numbers(EvaluatedNumbers numbers) implements Found {}

  /// Of a model that predicts edges, whose scores are those of its run.
  record Edges() implements Found {}

  /// Of a pruned network.
  ///
  /// @param parts that have samples, in order
  record Samples(Map<Part, PrunedEvaluation> parts) implements Found {
    Samples {
      parts = Collections.unmodifiableMap(new EnumMap<>(parts));
    }
  }

  /// Evaluates the model of a graph, and predicts with it.
  ///
  /// @param path folder of its run
  /// @throws dev.gossamer.base.InvalidInputException if there is no model
  static EvaluatedModel ofVertices(Path path, CommonOptions common) {
    TrainedRun run = new TrainedRun(path);
    GraphModel model = run.model();
    KnownClasses own = model.task() == Task.LINKS ? ownClasses(run, model, common) : null;
    try (Dataset dataset = run.dataset(model, null, common);
        ProgressSteps progress = new ProgressSteps(common.quiet)) {
      return of(model, dataset, own == null ? known(dataset) : own, progress);
    }
  }

  /// The classes of vertices whose edges are predicted, which training does not look at.
  private static KnownClasses ownClasses(TrainedRun run, GraphModel model, CommonOptions common) {
    try (Dataset own = run.ownDataset(model, common)) {
      return known(own);
    }
  }

  private static KnownClasses known(Dataset dataset) {
    return dataset.task() == Task.CLASSIFICATION ? KnownClasses.of(dataset) : KnownClasses.NONE;
  }

  private static EvaluatedModel of(
      GraphModel model, Dataset dataset, KnownClasses known, Progress progress) {
    boolean mapped = VertexVectors.width(model) > 0;
    InferenceSettings settings =
        VertexVectors.predicted(model, InferenceSettings.DEFAULT)
            .withOutputBytes(VertexMap.bytes(model, dataset))
            .withProgress(progress);
    Predictions predictions =
        mapped || model.task() == Task.REGRESSION ? model.predict(dataset, settings) : null;
    VertexMap map =
        mapped && predictions != null ? VertexMap.of(predictions, known, progress) : null;
    Found found =
        switch (model.task()) {
          case CLASSIFICATION -> new Classes(model.evaluateClasses(dataset, settings));
          case MULTI_LABEL -> new Labels(model.evaluateLabels(dataset, settings));
          case REGRESSION ->
              new Numbers(
                  EvaluatedNumbers.of(
                      model.evaluateNumbers(dataset, settings),
                      Objects.requireNonNull(predictions),
                      dataset.data()));
          case LINKS -> new Edges();
        };
    return new EvaluatedModel(found, map);
  }

  /// Evaluates a pruned network on all samples that it was not trained on.
  ///
  /// @param path folder of its run
  /// @throws dev.gossamer.base.InvalidInputException if there is no model, or its data are gone
  static EvaluatedModel ofSamples(Path path, CommonOptions common) {
    PrunedModel model = PrunedModel.open(path);
    Map<Part, PrunedEvaluation> parts = new EnumMap<>(Part.class);
    try (Corpus corpus = new PrunedRunData(path).open(model, null, common.quiet)) {
      for (Part part : List.of(Part.VALIDATION, Part.TEST)) {
        long size = corpus.size(part);
        if (size > 0) {
          try (ProgressLine line =
              new ProgressLine(part.toString(), "samples", size, common.quiet)) {
            parts.put(
                part,
                model.evaluateClasses(
                    corpus, part, EvaluationSettings.DEFAULT, done -> line.update(done, "")));
          }
        }
      }
    }
    return new EvaluatedModel(new Samples(parts), null);
  }
}
