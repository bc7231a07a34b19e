package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.InferenceSettings;
import dev.gossamer.TrainingListener;
import dev.gossamer.TrainingPlan;
import dev.gossamer.TrainingResult;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.tensorboard.Board;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.WeightHistogram;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Evaluation;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// Shows a training on a graph on a board.
///
/// @param board borrowed
record TrainBoard(Board board) implements TrainingListener {
  @Override
  public void planned(TrainingPlan plan) {
    board.begin(Objects.requireNonNull(plan.folder()).path());
  }

  @Override
  public void epoch(EpochRecord record) {
    board.step();
  }

  @Override
  public void weights(int epoch, DenseState state) {
    if (board.isDue(epoch)) {
      Map<String, WeightHistogram> histograms = new LinkedHashMap<>();
      state
          .layout()
          .entries()
          .forEach(
              entry -> histograms.put(entry.name(), WeightHistogram.of(entry.of(state.weights()))));
      board.weights(epoch, histograms);
    }
  }

  /// Writes how the run ended, with the scores of the model if it is complete.
  ///
  /// @return whether it is
  boolean end(TrainingResult result) {
    if (result.end().interrupted()) {
      board.interrupted();
      return false;
    }
    Evaluation evaluation = result.evaluation();
    board.end(
        result.end().epochs(),
        Map.of(
            "train", values(evaluation.train()),
            "validation", values(evaluation.validation()),
            "test", values(evaluation.test())));
    return true;
  }

  private static Map<String, Double> values(Evaluation.Scores scores) {
    return scores.values().entrySet().stream()
        .collect(Collectors.toMap(score -> score.getKey().key(), Map.Entry::getValue));
  }

  /// Writes vectors of vertices.
  ///
  /// @param warnings notified if there are none for lack of memory
  /// @return how many; 0 if there are none
  int vectors(
      TrainingResult result,
      Dataset dataset,
      InferenceSettings settings,
      Consumer<String> warnings) {
    Path folder = board.folder();
    try {
      return VertexProjection.write(folder, result.model(), dataset, settings);
    } catch (InvalidInputException e) {
      warnings.accept("no vectors of vertices in %s: %s".formatted(folder, e.getMessage()));
      return 0;
    }
  }
}
