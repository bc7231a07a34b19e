package dev.gossamer;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Task;
import dev.gossamer.graph.format.ClassNumbers;
import dev.gossamer.graph.format.VertexFeatures;
import dev.gossamer.graph.format.VertexLabels;
import org.jspecify.annotations.Nullable;

/// Features and classes in place of those of the data set, so that a bare graph can be trained on.
///
/// @param vertexFeatures `FILE.npy`, `random:64`, `degree`, or several of them with commas, as
///   [VertexFeatures] describes; null for those of the data set
/// @param vertexLabels `FILE.npy`, `FILE.csv` or `random:40`, as [VertexLabels] describes; null for
///   those of the data set
/// @param task what is predicted; null for what the labels look like
public record VertexData(
    @Nullable String vertexFeatures, @Nullable String vertexLabels, @Nullable Task task) {
  /// Features and classes of the data set.
  public static final VertexData OWN = new VertexData(null, null, null);

  /// Checks the form.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if one is not as described
  public VertexData {
    features(vertexFeatures);
    labels(vertexLabels);
  }

  private static @Nullable VertexFeatures features(@Nullable String text) {
    return text == null ? null : new VertexFeatures(text);
  }

  private static @Nullable VertexLabels labels(@Nullable String text) {
    return text == null ? null : new VertexLabels(text);
  }

  /// {@return a copy with absolute paths}
  VertexData absolute() {
    VertexFeatures features = features(vertexFeatures);
    VertexLabels labels = labels(vertexLabels);
    return new VertexData(
        features == null ? null : features.absolute().text(),
        labels == null ? null : labels.absolute().text(),
        task);
  }

  /// {@return a copy for another graph: features that are computed from it}
  VertexData ofOtherGraph() {
    VertexFeatures features = features(vertexFeatures);
    return features != null && features.isComputed()
        ? new VertexData(vertexFeatures, null, null)
        : OWN;
  }

  /// Adds them to a data set.
  ///
  /// @param data closed with the result, or at once if they cannot be added
  /// @param seed of what is random
  /// @param limit most bytes of memory
  Dataset addTo(Dataset data, long seed, long limit) {
    try {
      GraphData result = data.data();
      VertexFeatures features = features(vertexFeatures);
      if (features != null) {
        result = features.addTo(result, data.added(), seed, limit);
      }
      VertexLabels labels = labels(vertexLabels);
      if (labels != null) {
        result = labels.addTo(result, data.added(), seed, task);
      } else if (task != null) {
        result = ClassNumbers.as(task, result, data.added());
      }
      return data.with(result);
    } catch (RuntimeException | Error e) {
      data.close();
      throw e;
    }
  }
}
