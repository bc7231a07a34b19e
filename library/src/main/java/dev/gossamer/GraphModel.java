package dev.gossamer;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.MemoryEstimate;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A trained network that predicts the class of vertices of any graph with the same features. Its
/// file is whole: nothing else is needed to predict. Immutable; may be used from several threads.
///
/// Prediction and evaluation go layer by layer in small blocks of rows, with all neighbours or
/// some, in memory that is estimated before it is taken, on one rank or many, however the model was
/// trained.
public final class GraphModel {
  private final ModelDescription description;
  private final MemorySegment weights;

  /// @param weights flat, kept
  GraphModel(ModelDescription description, MemorySegment weights) {
    this.description = description;
    this.weights = weights;
  }

  /// Opens a model file, or the model of a run folder.
  ///
  /// @param path of a model file or a run folder
  /// @return the model
  /// @throws InvalidInputException if there is none, or it is damaged
  public static GraphModel open(Path path) {
    Path file = Files.isDirectory(path) ? new RunFolder(path).model() : path;
    if (!Files.exists(file)) {
      throw new InvalidInputException(
          Files.isDirectory(path)
              ? "%s: expected a trained model, found none; finish the run first".formatted(file)
              : "%s: expected a model file or a run folder, found nothing".formatted(file));
    }
    ModelFile.Read read = ModelFile.read(Arena.ofAuto(), file);
    return new GraphModel(read.description(), read.weights());
  }

  /// Writes the model, whole or not at all.
  ///
  /// @param file replaced if it exists
  /// @throws InvalidInputException if it cannot be written
  public void write(Path file) {
    ModelFile.write(file, description, weights);
  }

  /// {@return network, features, classes and how it was trained}
  public ModelDescription description() {
    return description;
  }

  /// {@return name of each class, in the order of the probabilities}
  public List<String> classes() {
    return description.classes();
  }

  /// Predicts the class of every vertex, from all neighbours.
  ///
  /// @param dataset with the features that the model was trained on; labels are not needed
  /// @return the predictions of all vertices, with classes in the order of the data set if it has
  ///   some; under a launcher, on the first process only
  /// @throws InvalidInputException if features or classes do not fit, or memory does not suffice
  public Predictions predict(Dataset dataset) {
    return predict(dataset, InferenceSettings.DEFAULT);
  }

  /// Predicts the class of every vertex.
  ///
  /// @param dataset with the features that the model was trained on; labels are not needed
  /// @param settings neighbours, ranks, machine
  /// @return the predictions of all vertices, with classes in the order of the data set if it has
  ///   some; under a launcher, on the first process only
  /// @throws InvalidInputException if features or classes do not fit, or memory does not suffice
  public Predictions predict(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).predict();
    }
  }

  /// {@return what predicting would take of memory, before it takes it}
  ///
  /// @param dataset with the features that the model was trained on
  /// @param settings neighbours, ranks, machine, contents
  /// @throws InvalidInputException if features or classes do not fit
  public MemoryEstimate predictionMemory(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).predictionMemory();
    }
  }

  /// {@return what scoring would take of memory, before it takes it}
  ///
  /// @param dataset with the features and classes that the model was trained on
  /// @param settings neighbours, ranks, machine
  /// @throws InvalidInputException if features or classes do not fit
  public MemoryEstimate evaluationMemory(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).evaluationMemory();
    }
  }

  /// Scores the model on each part of a data set, from all neighbours.
  ///
  /// @param dataset with the features and classes that the model was trained on, the classes in any
  ///   order, labels and a split
  /// @return the scores
  /// @throws InvalidInputException if features or classes do not fit, or memory does not suffice
  public Evaluation evaluate(Dataset dataset) {
    return evaluate(dataset, InferenceSettings.DEFAULT);
  }

  /// Scores the model on each part of a data set.
  ///
  /// @param dataset with the features and classes that the model was trained on, the classes in any
  ///   order, labels and a split
  /// @param settings neighbours, ranks, machine
  /// @return the scores
  /// @throws InvalidInputException if features or classes do not fit, or memory does not suffice
  public Evaluation evaluate(Dataset dataset, InferenceSettings settings) {
    return evaluateClasses(dataset, settings).scores();
  }

  /// Scores the model on each part of a data set, and on each class.
  ///
  /// @param dataset with the features and classes that the model was trained on, the classes in any
  ///   order, labels and a split
  /// @param settings neighbours, ranks, machine
  /// @return the scores, and what was predicted of the vertices of each class
  /// @throws InvalidInputException if features or classes do not fit, or memory does not suffice
  public ClassEvaluation evaluateClasses(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).evaluate();
    }
  }

  /// The weights, flat, in the order of the file. Borrowed.
  MemorySegment weights() {
    return weights;
  }
}
