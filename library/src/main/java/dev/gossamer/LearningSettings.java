package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.graph.Task;
import dev.gossamer.nn.optimizer.LearningRate;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.LoopSettings;
import dev.gossamer.run.Metric;
import org.jspecify.annotations.Nullable;

/// Loss, optimizer, learning rate schedule and number of epochs. Start with [#DEFAULT] and change
/// what differs.
///
/// @param loss what training minimises
/// @param optimizer the optimizer and its parameters
/// @param decayed weights that its decay applies to
/// @param learningRate the initial rate
/// @param schedule of the learning rate
/// @param pace number of epochs, and what happens between them
public record LearningSettings(
    LossSettings loss,
    OptimizerRule optimizer,
    Decayed decayed,
    double learningRate,
    Schedule schedule,
    Pace pace) {
  /// Larger than usual for deep networks: graph networks of two layers are shallow, and a
  /// full-graph epoch is one step.
  public static final double DEFAULT_LEARNING_RATE = 0.01;

  /// Adam without decay.
  public static final LearningSettings DEFAULT =
      new LearningSettings(
          LossSettings.DEFAULT,
          new OptimizerRule.Adam(0),
          Decayed.ALL,
          DEFAULT_LEARNING_RATE,
          new Schedule.Constant(),
          Pace.DEFAULT);

  /// The number of epochs, and what happens between them.
  ///
  /// @param epochs at most
  /// @param selectBy the validation score by which the weights of the best epoch are kept; null for
  ///   the usual one of the task: accuracy of classes, micro-F1 of labels, RMSE of numbers, mean
  ///   reciprocal rank of edges
  /// @param patience stop at the first evaluation that is this many epochs or more after that of
  ///   the best score; 0 for never
  /// @param evaluateEvery epochs between two evaluations
  /// @param checkpointEvery epochs between two checkpoints; 0 writes one only when interrupted
  public record Pace(
      int epochs, @Nullable Metric selectBy, int patience, int evaluateEvery, int checkpointEvery) {
    /// Enough for networks of two layers on most graphs.
    public static final int DEFAULT_EPOCHS = 150;

    /// A crash loses seconds to minutes of work.
    public static final int DEFAULT_CHECKPOINT_EVERY = 50;

    /// The usual score, no early stopping, an evaluation after every epoch.
    public static final Pace DEFAULT =
        new Pace(DEFAULT_EPOCHS, null, 0, 1, DEFAULT_CHECKPOINT_EVERY);

    /// Checks the components.
    ///
    /// @throws InvalidSettingException if a number is too small
    public Pace {
      InvalidSettingException.requireAtLeast("epochs", epochs, 1);
      InvalidSettingException.requireAtLeast("patience", patience, 0);
      InvalidSettingException.requireAtLeast("evaluateEvery", evaluateEvery, 1);
      InvalidSettingException.requireAtLeast("checkpointEvery", checkpointEvery, 0);
    }

    /// {@return the score by which the best epoch is selected}
    ///
    /// @param task what is predicted
    public Metric selectBy(Task task) {
      if (selectBy != null) {
        return selectBy;
      }
      return switch (task) {
        case CLASSIFICATION -> Metric.ACCURACY;
        case MULTI_LABEL -> Metric.MICRO_F1;
        case REGRESSION -> Metric.RMSE;
        case LINKS -> Metric.MRR;
      };
    }

    /// Returns the number of evaluations of a run without early stopping.
    ///
    /// @return those between epochs, that after the last, and one with the weights that are kept
    public int evaluations() {
      return Math.ceilDiv(epochs, evaluateEvery) + 1;
    }

    /// Returns a copy with another number of epochs.
    ///
    /// @param other at least 1
    /// @return the changed copy
    public Pace withEpochs(int other) {
      return new Pace(other, selectBy, patience, evaluateEvery, checkpointEvery);
    }

    /// Returns a copy with another number of epochs between evaluations.
    ///
    /// @param other at least 1
    /// @return the changed copy
    public Pace withEvaluateEvery(int other) {
      return new Pace(epochs, selectBy, patience, other, checkpointEvery);
    }

    /// Returns a copy with another score by which the best epoch is selected.
    ///
    /// @param other any that the task has; null for its usual one
    /// @return the changed copy
    public Pace withSelectBy(@Nullable Metric other) {
      return new Pace(epochs, other, patience, evaluateEvery, checkpointEvery);
    }

    /// Returns a copy with another patience.
    ///
    /// @param other epochs, 0 for never
    /// @return the changed copy
    public Pace withPatience(int other) {
      return new Pace(epochs, selectBy, other, evaluateEvery, checkpointEvery);
    }
  }

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if the rate is not positive, or the decay is negative
  public LearningSettings {
    if (!(learningRate > 0 && learningRate < Double.POSITIVE_INFINITY)) {
      throw new InvalidSettingException(
          "{learningRate}: expected a positive number, found " + learningRate);
    }
    InvalidSettingException.requireNotNegative("weightDecay", optimizer.weightDecay());
  }

  /// Returns a copy with another loss.
  ///
  /// @param other what training minimises
  /// @return the changed copy
  public LearningSettings withLoss(LossSettings other) {
    return new LearningSettings(other, optimizer, decayed, learningRate, schedule, pace);
  }

  /// Returns a copy with another optimizer.
  ///
  /// @param rule the optimizer and its parameters
  /// @param which weights that its decay applies to
  /// @return the changed copy
  public LearningSettings withOptimizer(OptimizerRule rule, Decayed which) {
    return new LearningSettings(loss, rule, which, learningRate, schedule, pace);
  }

  /// Returns a copy with another learning rate.
  ///
  /// @param rate positive
  /// @return the changed copy
  public LearningSettings withLearningRate(double rate) {
    return new LearningSettings(loss, optimizer, decayed, rate, schedule, pace);
  }

  /// Returns a copy with another schedule.
  ///
  /// @param other applied to the initial rate
  /// @return the changed copy
  public LearningSettings withSchedule(Schedule other) {
    return new LearningSettings(loss, optimizer, decayed, learningRate, other, pace);
  }

  /// Returns a copy with another pace.
  ///
  /// @param other number of epochs, and what happens between them
  /// @return the changed copy
  public LearningSettings withPace(Pace other) {
    return new LearningSettings(loss, optimizer, decayed, learningRate, schedule, other);
  }

  /// What the loop needs.
  ///
  /// @param selectBy the score of the task by which epochs are selected
  LoopSettings loop(Metric selectBy) {
    LearningRate rates = schedule.of(learningRate, pace.epochs());
    return new LoopSettings(
        pace.epochs(),
        selectBy,
        pace.patience(),
        pace.evaluateEvery(),
        pace.checkpointEvery(),
        rates);
  }
}
