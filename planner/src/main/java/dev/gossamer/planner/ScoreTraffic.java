package dev.gossamer.planner;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Targets;
import dev.gossamer.run.LabelCounts;
import dev.gossamer.run.LabelScoring;
import dev.gossamer.run.LinkScoring;
import dev.gossamer.run.NumberScoring;
import dev.gossamer.run.Team;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/// The traffic of scoring an evaluation, for each part of the split.
///
/// Of classes ([dev.gossamer.run.ClassScoring]) the confusion matrix and the loss; with two classes
/// also, for the curves, the number of rows of each rank, and the probability and label of each
/// row. Of several labels ([dev.gossamer.run.LabelScoring]) their counts and the loss, and the same
/// for the curves of each label. Of numbers ([dev.gossamer.run.NumberScoring]) sums of each.
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
    int outputs = data.outputs();
    for (Split part : List.of(Split.TRAIN, Split.VALIDATION, Split.TEST)) {
      switch (data.task()) {
        case CLASSIFICATION -> {
          reduce(ranks, (long) outputs * outputs);
          reduce(ranks, 1);
          if (outputs == 2) {
            curves(ranks, data.labelled(part).length);
          }
        }
        case MULTI_LABEL -> {
          reduce(ranks, (long) LabelCounts.KINDS * outputs);
          reduce(ranks, LabelScoring.SUMS);
          Targets targets = Objects.requireNonNull(data.targets());
          for (int t = 0; t < outputs; t++) {
            int label = t;
            curves(
                ranks,
                Arrays.stream(data.labelled(part))
                    .filter(v -> !Float.isNaN(targets.values().get(v, label)))
                    .count());
          }
        }
        case REGRESSION -> {
          reduce(ranks, (long) NumberScoring.KINDS * outputs + 1);
          reduce(ranks, outputs);
        }
        case LINKS -> {
          LinkTask links = Objects.requireNonNull(data.links());
          LinkTask.Candidates candidates = links.candidates();
          int edges = links.parts().scored(part).count();
          reduce(ranks, LinkScoring.SUMS);
          gather(ranks, edges);
          gather(ranks, candidates.areShared() ? candidates.count() : edges);
        }
      }
    }
    return seconds;
  }

  /// Scores and labels of rows, each with the number of rows of each rank.
  private void curves(int[] ranks, long rows) {
    gather(ranks, rows);
    gather(ranks, rows);
  }

  private void gather(int[] ranks, long numbers) {
    reduce(ranks, ranks.length);
    reduce(ranks, numbers);
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
