package dev.gossamer;

import dev.gossamer.gnn.link.LinkHeuristic;
import dev.gossamer.run.Evaluation;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/// The scores of a model that predicts edges on each part of them, beside scores that need no
/// model.
///
/// @param scores of the model on each part
/// @param heuristics scores of each heuristic on the test edges, among the same pairs
public record LinkEvaluation(Evaluation scores, Map<LinkHeuristic, Evaluation.Scores> heuristics) {
  /// Copies the map.
  public LinkEvaluation {
    Map<LinkHeuristic, Evaluation.Scores> copy = new EnumMap<>(LinkHeuristic.class);
    copy.putAll(heuristics);
    heuristics = Collections.unmodifiableMap(copy);
  }
}
