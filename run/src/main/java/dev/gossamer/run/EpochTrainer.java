package dev.gossamer.run;

import dev.gossamer.comm.Traffic;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.Phase;
import dev.gossamer.nn.optimizer.Optimizer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A trainer as the [TrainingLoop] sees it: something that can do one epoch and say how good the
/// model is.
public interface EpochTrainer extends AutoCloseable {
  /// One epoch. The bits of the result depend on the state, the arguments and the seed only.
  ///
  /// @param epoch 0-based
  /// @param learningRate of the epoch
  /// @return mean training loss
  double train(int epoch, double learningRate);

  /// {@return scores of the model as it is, without dropout}
  Evaluation evaluate();

  /// {@return the parameters that are trained}
  DenseState state();

  /// {@return the optimizer, whose memory checkpoints hold}
  Optimizer optimizer();

  /// {@return what the next epoch depends on beside weights and optimizer; null if nothing}
  default @Nullable CarriedState carried() {
    return null;
  }

  /// {@return whether a value is true on any of the ranks that train together} Collective.
  ///
  /// @param value of this rank
  boolean anyRank(boolean value);

  /// {@return what this rank sent to others in the last epoch; nothing, if it is alone} Local.
  Traffic.Snapshot sent();

  /// {@return seconds by phase of the last epoch, if called right after it; with several ranks, for
  /// each phase the largest of all ranks, so that their sum may exceed the epoch} Collective.
  Map<Phase, Double> takePhases();

  /// Frees all memory and threads of the trainer. Collective.
  @Override
  void close();
}
