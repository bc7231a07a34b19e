package dev.gossamer.cli.data;

import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.Predictions;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.random.Philox;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/// The vectors that a model computes of vertices: the activations of the last hidden layer or, of a
/// model that predicts edges, its outputs.
public final class VertexVectors {
  private static final int STREAM = 0x564d4150;

  private VertexVectors() {}

  /// Returns the numbers of a vector; 0 if the network has no hidden layer.
  public static int width(GraphModel model) {
    int outputs = model.classes().size();
    return model.task() == Task.LINKS
        ? outputs
        : model.description().network().embeddingWidth(outputs);
  }

  /// Returns settings with which predictions have vectors, if the model has some.
  ///
  /// @param settings other settings
  public static InferenceSettings predicted(GraphModel model, InferenceSettings settings) {
    return settings.withContents(
        width(model) > 0 && model.task() != Task.LINKS
            ? Predictions.Contents.EMBEDDINGS
            : Predictions.Contents.PROBABILITIES);
  }

  /// Draws vertices, always the same ones of a number.
  ///
  /// @param vertices of the data set
  /// @param most that are drawn; all if there are not more
  /// @return numbers of vertices without repetition, ascending
  public static NavigableSet<Integer> drawn(int vertices, int most) {
    NavigableSet<Integer> drawn = new TreeSet<>();
    if (vertices <= most) {
      IntStream.range(0, vertices).forEach(drawn::add);
      return drawn;
    }
    Philox philox = Philox.keyed(0, STREAM, 0);
    for (int draw = 0; drawn.size() < most; draw++) {
      drawn.add(philox.below(vertices, draw, 0));
    }
    return drawn;
  }

  /// Returns the vector of a vertex.
  ///
  /// @param predictions with [#predicted]
  public static float[] of(Predictions predictions, int vertex) {
    if (predictions.task() != Task.LINKS) {
      return predictions.embedding(vertex);
    }
    float[] vector = new float[predictions.classes().size()];
    for (int j = 0; j < vector.length; j++) {
      vector[j] = (float) predictions.value(vertex, j);
    }
    return vector;
  }
}
