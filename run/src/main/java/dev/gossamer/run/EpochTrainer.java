package dev.gossamer.run;

import dev.gossamer.comm.Traffic;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.Phase;
import dev.gossamer.nn.optimizer.Optimizer;
import java.util.Map;

/// A trainer as the [TrainingLoop] sees it: something that can do one epoch and say how good the
/// model is.
public interface EpochTrainer extends AutoCloseable {
  /// One epoch. The bits of the result depend on the state, the arguments and the seed only.
  ///
  /// @param epoch 0-based
  /// @return mean training loss
  double train(int epoch, double learningRate);

  /// Scores of the model as it is, without dropout.
  Evaluation evaluate();

  DenseState state();

  Optimizer optimizer();

  /// Whether a value is true on any of the ranks that train together. Collective.
  boolean anyRank(boolean value);

  /// What this rank sent to others in the last epoch; nothing, if it is alone. Local.
  Traffic.Snapshot sent();

  /// Seconds by phase of the last epoch, if called right after it; with several ranks, for each
  /// phase the largest of all ranks, so that their sum may exceed the epoch. Collective.
  Map<Phase, Double> takePhases();

  /// Frees all memory and threads of the trainer. Collective.
  @Override
  void close();
}
