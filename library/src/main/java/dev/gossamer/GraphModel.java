package dev.gossamer;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.objective.ClassDecision;
import dev.gossamer.graph.Task;
import dev.gossamer.nn.state.ParameterFolder;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.MemoryEstimate;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A trained network that predicts the class of vertices of any graph with the same features. Its
/// file is all that prediction needs. Immutable and thread-safe.
///
/// Prediction and evaluation use all neighbours or a sample, layer by layer, in small row blocks,
/// on one rank or many, independently of how the model was trained. Memory is estimated before it
/// is allocated.
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
    ModelFile.Read read = ModelFile.read(Arena.ofAuto(), existing(path));
    return new GraphModel(read.description(), read.weights());
  }

  /// {@return how the model at a path was trained, as in its [#description]: `epochs`, `best_epoch`
  /// and so on} Does not read the weights.
  ///
  /// @param path of a model file or a run folder
  /// @throws InvalidInputException if there is none, or its description is damaged
  public static Map<String, String> factsAt(Path path) {
    return ModelFile.describe(existing(path)).facts();
  }

  private static Path existing(Path path) {
    Path file = file(path);
    if (!Files.exists(file)) {
      throw new InvalidInputException(
          Files.isDirectory(path)
              ? "%s: expected a trained model, found none; finish the run first".formatted(file)
              : "%s: expected a model file or a run folder, found nothing".formatted(file));
    }
    return file;
  }

  private static Path file(Path path) {
    return Files.isDirectory(path) ? new RunFolder(path).model() : path;
  }

  /// {@return whether there is a model of a graph, and not one of another kind of network, or none}
  ///
  /// @param path of a model file or a run folder
  /// @throws InvalidInputException if there is a file that cannot be read as a model of any kind
  public static boolean isAt(Path path) {
    Path file = file(path);
    return Files.exists(file) && ModelFile.isIn(file);
  }

  /// Writes the model atomically.
  ///
  /// @param file replaced if it exists
  /// @throws InvalidInputException if it cannot be written
  public void write(Path file) {
    ModelFile.write(file, description, weights);
  }

  /// Writes the parameters as NumPy arrays, atomically ([ParameterFolder]).
  ///
  /// @param folder new, empty, or written by this method before without added files, in which case
  ///   it is replaced
  /// @throws InvalidInputException if it cannot be written, or has other files
  public void writeArrays(Path folder) {
    ParameterFolder.write(folder, values(), ModelFile.metadata(description));
  }

  /// {@return the parameters by their names, in the order of the file} Borrowed and read-only.
  public Map<String, Safetensors.Tensor> values() {
    return ModelFile.tensors(description, weights.asReadOnly());
  }

  /// {@return network, features, classes and how it was trained}
  public ModelDescription description() {
    return description;
  }

  /// {@return name of each class, in the order of the probabilities; of other tasks the names of
  /// what is predicted}
  public List<String> classes() {
    return description.outputs().names();
  }

  /// {@return what is predicted of each vertex}
  public Task task() {
    return description.outputs().task();
  }

  /// Predicts the class of every vertex, from all neighbours. The vectors of a model that predicts
  /// edges are those over all edges of the data set, also those that are held out of it.
  ///
  /// @param dataset with the features that the model was trained on; labels are not needed
  /// @return the predictions of all vertices, with classes in the order of the data set if it has
  ///   some; under a launcher, on the first process only
  /// @throws InvalidInputException if features or classes do not fit, or memory does not suffice
  public Predictions predict(Dataset dataset) {
    return predict(dataset, InferenceSettings.DEFAULT);
  }

  /// Predicts the class of every vertex, or its vector over all edges, as above.
  ///
  /// @param dataset with the features that the model was trained on; labels are not needed
  /// @param settings neighbours, ranks, machine
  /// @return the predictions of all vertices, with classes in the order of the data set if it has
  ///   some; under a launcher, on the first process only
  /// @throws InvalidInputException if features or classes do not fit, or memory does not suffice
  public Predictions predict(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return onWhole(arena, dataset, settings).predict();
    }
  }

  /// {@return an estimate of the memory that prediction needs}
  ///
  /// @param dataset with the features that the model was trained on
  /// @param settings neighbours, ranks, machine, contents
  /// @throws InvalidInputException if features or classes do not fit
  public MemoryEstimate predictionMemory(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return onWhole(arena, dataset, settings).predictionMemory();
    }
  }

  /// {@return an estimate of the memory that evaluation needs}
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
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).evaluate();
    }
  }

  /// Scores the model on each part of a data set, and on each class.
  ///
  /// @param dataset with the features and classes that the model was trained on, the classes in any
  ///   order, labels and a split
  /// @param settings neighbours, ranks, machine
  /// @return the scores, and the predictions for the vertices of each class
  /// @throws InvalidInputException if features or classes do not fit, memory does not suffice, or
  ///   the model predicts no classes
  public ClassEvaluation evaluateClasses(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).evaluateClasses();
    }
  }

  /// Scores a model that predicts several labels on each part of a data set, and on each label.
  ///
  /// @param dataset with the features and labels that the model was trained on, the labels in any
  ///   order, and a split
  /// @param settings neighbours, ranks, machine
  /// @return the scores, right and wrong predictions of each label, and its areas on the last part
  ///   with vertices
  /// @throws InvalidInputException if features or labels do not fit, memory does not suffice, or
  ///   the model predicts something else
  public LabelEvaluation evaluateLabels(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).evaluateLabels();
    }
  }

  /// Scores a model that predicts numbers on each part of a data set, and each number on the last
  /// part with vertices.
  ///
  /// @param dataset with the features and numbers that the model was trained on, the numbers in any
  ///   order, and a split
  /// @param settings neighbours, ranks, machine
  /// @return the scores
  /// @throws InvalidInputException if features or numbers do not fit, memory does not suffice, or
  ///   the model predicts something else
  public NumberEvaluation evaluateNumbers(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).evaluateNumbers();
    }
  }

  /// Scores a model that predicts edges on each part of the edges of a data set, and ranks the test
  /// edges among the same pairs by [heuristics][dev.gossamer.gnn.link.LinkHeuristic] too. A
  /// heuristic sees the edges that the model sees.
  ///
  /// @param dataset with the features that the model was trained on, and edges that are held out
  /// @param settings ranks, machine
  /// @return the scores
  /// @throws InvalidInputException if features do not fit, memory does not suffice, no edges are
  ///   held out, or the model predicts something else
  public LinkEvaluation evaluateLinks(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).evaluateLinks();
    }
  }

  /// {@return an estimate of the memory that [#evaluateLinks] needs}
  ///
  /// @param dataset with the features that the model was trained on, and edges that are held out
  /// @param settings ranks, machine
  /// @throws InvalidInputException if features do not fit
  public MemoryEstimate linkEvaluationMemory(Dataset dataset, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).linkEvaluationMemory();
    }
  }

  /// Fits a temperature, and on request a threshold, to the validation vertices of a data set.
  /// Needs the memory of [#evaluationMemory], and as much time as an evaluation and 60 passes over
  /// the logits of the validation vertices.
  ///
  /// @param dataset with the features and classes that the model was trained on, the classes in any
  ///   order, labels and a split
  /// @param wanted what is fitted; an earlier calibration of this model does not matter
  /// @param settings neighbours, ranks, machine
  /// @return the fitted model, and how good its probabilities are before and after
  /// @throws InvalidInputException if features or classes do not fit, memory does not suffice, the
  ///   model predicts no classes, or there are no labelled validation vertices
  /// @throws dev.gossamer.base.InvalidSettingException if a threshold is wanted and the model has
  ///   not two classes, or no threshold has the precision that is wanted
  public Calibration calibrate(
      Dataset dataset, CalibrationSettings wanted, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return new ModelInference(arena, this, dataset.data(), settings).calibrate(wanted);
    }
  }

  /// Recommends, to some vertices, others that are likeliest to have an edge with them and have
  /// none yet. The vectors are those over all edges of the data set, also those that are held out
  /// of it.
  ///
  /// @param dataset with the features that the model was trained on
  /// @param vertices to recommend for, by their numbers; none stands for all
  /// @param top most for each, at least 1
  /// @param settings neighbours, ranks, machine
  /// @return the recommendations; under a launcher, on the first process only
  /// @throws InvalidInputException if features do not fit, memory does not suffice, or the model
  ///   does not predict edges
  public Recommendations recommend(
      Dataset dataset, int[] vertices, int top, InferenceSettings settings) {
    return recommend(dataset, vertices, top, null, settings);
  }

  /// Does the same by edges of one type: those that have none of this type yet.
  ///
  /// @param dataset with the features that the model was trained on
  /// @param vertices to recommend for, by their numbers; none stands for all
  /// @param top most for each, at least 1
  /// @param edges name of the type of edges, if the model tells types apart; else null
  /// @param settings neighbours, ranks, machine
  /// @return the recommendations; under a launcher, on the first process only
  /// @throws InvalidInputException as above, or if the type is none of the model's
  public Recommendations recommend(
      Dataset dataset,
      int[] vertices,
      int top,
      @Nullable String edges,
      InferenceSettings settings) {
    InvalidSettingException.requireAtLeast("top", top, 1);
    try (Arena arena = Arena.ofShared()) {
      return onWhole(arena, dataset, settings).recommend(vertices, top, edges);
    }
  }

  /// {@return an estimate of the memory that recommending needs}
  ///
  /// @param dataset with the features that the model was trained on
  /// @param vertices how many are recommended for
  /// @param top most for each
  /// @param settings neighbours, ranks, machine
  /// @throws InvalidInputException if features do not fit
  public MemoryEstimate recommendationMemory(
      Dataset dataset, int vertices, int top, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return onWhole(arena, dataset, settings).recommendationMemory(vertices, top);
    }
  }

  /// Says how likely an edge between the vertices of each pair is, by vectors over all edges of the
  /// data set, also those that are held out of it: the logistic function of the pair's score. It is
  /// the probability among edges and as many drawn pairs, which is far more than the share of edges
  /// among all pairs.
  ///
  /// @param dataset with the features that the model was trained on
  /// @param pairs of its vertices, with types if the model tells several types of edges apart
  /// @param settings neighbours, ranks, machine
  /// @return in `0..1`, in the order of the pairs; under a launcher, empty but on the first process
  /// @throws InvalidInputException if features do not fit, memory does not suffice, the model does
  ///   not predict edges, or a vertex is none of the data set
  /// @throws InvalidSettingException if the type of a pair is none of the model's
  public float[] edgeProbabilities(Dataset dataset, VertexPairs pairs, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return onWhole(arena, dataset, settings).edgeProbabilities(pairs);
    }
  }

  /// {@return an estimate of the memory that [#edgeProbabilities] needs}
  ///
  /// @param dataset with the features that the model was trained on
  /// @param pairs their number
  /// @param settings neighbours, ranks, machine
  /// @throws InvalidInputException if features do not fit
  public MemoryEstimate edgeProbabilityMemory(
      Dataset dataset, int pairs, InferenceSettings settings) {
    try (Arena arena = Arena.ofShared()) {
      return onWhole(arena, dataset, settings).edgeProbabilityMemory(pairs);
    }
  }

  /// Inference over all edges of a data set, also those that are held out of it.
  private ModelInference onWhole(Arena arena, Dataset dataset, InferenceSettings settings) {
    return new ModelInference(arena, this, dataset.data().withoutLinks(), settings);
  }

  /// A copy that decides otherwise. Shares the weights.
  GraphModel withDecision(ClassDecision decision) {
    return new GraphModel(
        new ModelDescription(
            description.network(),
            description.features(),
            description.outputs().withDecision(decision),
            description.edges(),
            description.facts()),
        weights);
  }

  /// The weights, flat, in the order of the file. Borrowed.
  MemorySegment weights() {
    return weights;
  }
}
