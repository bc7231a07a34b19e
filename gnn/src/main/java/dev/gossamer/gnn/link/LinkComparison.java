package dev.gossamer.gnn.link;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Negatives;
import java.util.Objects;

/// The edges of a graph, and the pairs without an edge that they are compared with: training edges
/// with drawn pairs, which are others in each epoch, and held-out edges with drawn pairs that share
/// a vertex with them, the same in each epoch.
///
/// @param task the edges by their use, and how many pairs they are compared with
/// @param training draws pairs against training edges
/// @param held draws pairs against held-out edges
public record LinkComparison(LinkTask task, Negatives training, Negatives held) {
  /// {@return the comparisons of a graph}
  ///
  /// @param data whose edges are to be predicted
  public static LinkComparison of(GraphData data) {
    LinkTask task = Objects.requireNonNull(data.links(), "links");
    return new LinkComparison(
        task,
        new Negatives(data, task.parts().all(), task.by()),
        new Negatives(data, task.parts().all(), Negatives.By.UNIFORM));
  }
}
