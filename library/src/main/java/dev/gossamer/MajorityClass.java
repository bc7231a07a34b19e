package dev.gossamer;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;

/// The baseline that a model must beat: predicting the commonest class of the training vertices for
/// every vertex.
///
/// @param name of the class; the first in case of ties
/// @param testAccuracy share of the test vertices with this class
public record MajorityClass(String name, double testAccuracy) {
  /// @param data with labels and a split
  static MajorityClass of(GraphData data) {
    long[] trained = data.classCounts(Split.TRAIN);
    int best = 0;
    for (int c = 1; c < trained.length; c++) {
      best = trained[c] > trained[best] ? c : best;
    }
    return new MajorityClass(
        data.info().classNames().get(best),
        (double) data.classCounts(Split.TEST)[best] / data.labelled(Split.TEST).length);
  }
}
