package dev.gossamer.gnn.objective;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Standardisation;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.TargetRows;
import dev.gossamer.matrix.dense.LabelLoss;
import dev.gossamer.matrix.dense.NumberLoss;
import dev.gossamer.matrix.dense.TargetLoss;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.LabelScoring;
import dev.gossamer.run.NumberScoring;
import dev.gossamer.run.Team;
import java.util.Objects;

/// Each vertex has several targets, of which some may not be known: labels, for which an output is
/// the logit of each and predictions are probabilities, or numbers, whose predictions are on the
/// scale of the targets.
///
/// The training loss is the mean over the known targets of the training vertices.
///
/// @param loss of the known targets of a vertex
/// @param scale of a vertex' loss: training vertices by their known targets
/// @param units of numbers, by which outputs are turned into predictions; of labels, 0 and 1
public record TargetObjective(TargetLoss loss, float scale, Standardisation units)
    implements VertexObjective {
  /// {@return the objective for the targets of a data set}
  ///
  /// @param loss of the known targets of a vertex
  /// @param data with targets and a split
  /// @param units of the targets
  public static TargetObjective of(TargetLoss loss, GraphData data, Standardisation units) {
    Targets targets = Objects.requireNonNull(data.targets(), "targets");
    long vertices = data.labelled(Split.TRAIN).length;
    long known = targets.known(data, Split.TRAIN);
    return new TargetObjective(loss, (float) vertices / Math.max(1, known), units);
  }

  /// {@return bytes that an evaluation of several labels takes at most, for a while}
  ///
  /// @param data that is evaluated
  /// @param ranks of this process
  /// @param threads of each rank
  public static long scoreBytes(GraphData data, int ranks, int threads) {
    return data.task() == Task.MULTI_LABEL
        ? ranks * LabelScoring.bytes(data.vertices(), data.outputs(), threads)
        : 0;
  }

  @Override
  public void predict(DenseMatrix outputs, Workers w) {
    switch (loss) {
      case LabelLoss _ -> LabelLoss.sigmoid(outputs, w);
      case NumberLoss _ -> units.restore(outputs);
    }
  }

  @Override
  public Truth truth(GraphData data, int... vertices) {
    Targets targets = Objects.requireNonNull(data.targets(), "targets");
    return new OfRows(this, new TargetRows(targets.values(), vertices));
  }

  private record OfRows(TargetObjective objective, TargetRows targets) implements Truth {
    @Override
    public double lossAndGradient(DenseMatrix outputs, int[] rows, long total, Workers w) {
      TargetLoss.Mean mean = new TargetLoss.Mean(total, objective.scale);
      return objective.loss.andGradient(outputs, targets, rows, mean, w);
    }

    @Override
    public double weightedLossAndGradient(DenseMatrix outputs, float[] weights, Workers w) {
      return objective.loss.weightedAndGradient(outputs, targets, weights, objective.scale, w);
    }

    @Override
    public Evaluation evaluate(DenseMatrix outputs, ScoredRows rows, Team team, Workers w) {
      return switch (objective.loss) {
        case LabelLoss _ -> {
          LabelScoring scoring = new LabelScoring(targets, team, w);
          double train = scoring.loss(outputs, rows.train());
          double validation = scoring.loss(outputs, rows.validation());
          double test = scoring.loss(outputs, rows.test());
          objective.predict(outputs, w);
          yield new Evaluation(
              scoring.scores(outputs, train, rows.train()),
              scoring.scores(outputs, validation, rows.validation()),
              scoring.scores(outputs, test, rows.test()));
        }
        case NumberLoss _ -> {
          NumberScoring scoring = new NumberScoring(targets, objective.units.deviations(), team);
          objective.predict(outputs, w);
          yield new Evaluation(
              scoring.scores(outputs, rows.train()),
              scoring.scores(outputs, rows.validation()),
              scoring.scores(outputs, rows.test()));
        }
      };
    }
  }
}
