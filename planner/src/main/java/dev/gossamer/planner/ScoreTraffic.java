package dev.gossamer.planner;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.run.Team;
import java.util.List;
import java.util.stream.IntStream;

/// The traffic of scoring an evaluation ([dev.gossamer.run.Scoring]): for each part of the split
/// the confusion matrix and the loss; with two classes also, for the curve, the number of rows of
/// each rank, and the probability and label of each row.
final class ScoreTraffic {
  private final RankLayout layout;
  private final RankTraffic traffic;
  private double seconds;

  /// @param traffic that scores are added to
  ScoreTraffic(RankLayout layout, RankTraffic traffic) {
    this.layout = layout;
    this.traffic = traffic;
  }

  /// Adds the scores of one evaluation.
  ///
  /// @param ranks that have different vertices
  /// @return seconds of it
  double add(int[] ranks, GraphData data) {
    seconds = 0;
    int classes = data.outputs();
    for (Split part : List.of(Split.TRAIN, Split.VALIDATION, Split.TEST)) {
      reduce(ranks, (long) classes * classes);
      reduce(ranks, 1);
      long rows = IntStream.range(0, data.vertices()).filter(v -> data.isLabelled(v, part)).count();
      for (int list = 0; list < 2 && classes == 2; list++) {
        reduce(ranks, ranks.length);
        reduce(ranks, rows);
      }
    }
    return seconds;
  }

  /// Adds a sum of numbers, in pieces.
  ///
  /// @param ranks that take part
  /// @return seconds so far
  double addUp(int[] ranks, long numbers) {
    reduce(ranks, numbers);
    return seconds;
  }

  private void reduce(int[] ranks, long numbers) {
    for (long left = numbers; left > 0; left -= Team.PIECE) {
      RankTraffic piece = new RankTraffic(layout);
      piece.allReduce(ranks, Math.min(left, Team.PIECE), Double.BYTES);
      seconds += piece.allReduceSeconds(ranks);
      traffic.add(piece, 1);
    }
  }
}
