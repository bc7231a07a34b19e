package dev.gossamer.run;

import dev.gossamer.comm.Traffic;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.state.DenseState;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The interface of a trainer for the [TrainingLoop]: it trains one epoch and evaluates the model.
public interface EpochTrainer extends AutoCloseable {
  /// Trains one epoch. Results are bit-identical for the same state, arguments and seed.
  ///
  /// @param epoch 0-based
  /// @param learningRate of the epoch
  /// @return mean training loss
  double train(int epoch, double learningRate);

  /// {@return the scores of the current model, without dropout}
  Evaluation evaluate();

  /// {@return the trained parameters}
  DenseState state();

  /// {@return the optimizer, whose state is part of checkpoints}
  Optimizer optimizer();

  /// {@return the state, other than weights and optimizer, that the next epoch depends on; null if
  /// there is none}
  default @Nullable CarriedState carried() {
    return null;
  }

  /// {@return where numbers ceased to be finite on this rank, when the loss did; null if that is
  /// not known} Local.
  default @Nullable NumericFault fault() {
    return null;
  }

  /// {@return the ranks that train together}
  Team team();

  /// {@return what this rank sent in the last epoch; nothing for a single rank} Local.
  Traffic.Snapshot sent();

  /// {@return how this rank used its caches in the last epoch} Local.
  default CacheUse cacheUse() {
    return CacheUse.NONE;
  }

  /// {@return seconds of this rank by phase of the last epoch, if called right after it} Local.
  Map<Phase, Double> takePhases();

  /// Frees all memory and threads of the trainer. Collective.
  @Override
  void close();
}
