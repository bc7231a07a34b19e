package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Task;
import dev.gossamer.graph.format.ClassNumbers;
import dev.gossamer.graph.format.VertexFeatures;
import dev.gossamer.graph.format.VertexLabels;
import org.jspecify.annotations.Nullable;

/// Features and classes in place of those of the data set, so that a bare graph can be trained on.
///
/// @param vertexFeatures `FILE.npy`, `random:64`, `degree`, or several of them with commas, or
///   `identity`, as [VertexFeatures] describes; null for those of the data set
/// @param vertexLabels `FILE.npy`, `FILE.csv` or `random:40`, as [VertexLabels] describes; null for
///   those of the data set
/// @param task what is predicted; null for what the labels look like
/// @param links how edges are predicted; null unless the task is that
public record VertexData(
    @Nullable String vertexFeatures,
    @Nullable String vertexLabels,
    @Nullable Task task,
    @Nullable LinkSettings links) {
  /// Features and classes of the data set.
  public static final VertexData OWN = new VertexData(null, null, null, null);

  /// Checks the form.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if one is not as described
  public VertexData {
    features(vertexFeatures);
    labels(vertexLabels);
    if ((task == Task.LINKS) != (links != null)) {
      throw new InvalidSettingException(
          "{task}: expected links, and how they are predicted, or neither, found %s and %s"
              .formatted(task, links));
    }
    if (links != null && vertexLabels != null) {
      throw new InvalidSettingException(
          "{vertexLabels}: {task} links does not read them; leave them out");
    }
  }

  /// {@return the data set's own features, with edges to be predicted}
  ///
  /// @param links how
  public static VertexData ofLinks(LinkSettings links) {
    return new VertexData(null, null, Task.LINKS, links);
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
        task,
        links);
  }

  /// {@return a copy for another graph: features that are computed from it}
  VertexData ofOtherGraph() {
    VertexFeatures features = features(vertexFeatures);
    String computed = features != null && features.isComputed() ? vertexFeatures : null;
    return links == null
        ? new VertexData(computed, null, null, null)
        : new VertexData(computed, null, task, links);
  }

  /// Adds them to a data set.
  ///
  /// @param data closed with the result, or at once if they cannot be added
  /// @param seed of what is random
  /// @param limit most bytes of memory
  Dataset addTo(Dataset data, long seed, long limit) {
    try {
      GraphData result = data.data();
      if (links != null) {
        // Before features: degrees of the whole graph would tell of edges that are held out.
        result = links.divide(data.added(), result, seed);
      }
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
