package dev.gossamer;

import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.graph.Progress;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.memory.MemoryEstimate;

/// Is notified of the progress of a training. Called from the thread that trains; implementations
/// must return quickly.
public interface TrainingListener {
  /// Ignores all notifications.
  TrainingListener SILENT = new TrainingListener() {};

  /// The data set has no split, and one was drawn.
  ///
  /// @param split its proportions
  default void splitDrawn(SplitProportions split) {}

  /// The graph is about to be divided among ranks.
  ///
  /// @param method that divides it
  /// @param parts how many
  /// @param estimatedBytes that dividing takes beyond the graph
  default void partitioning(Partitioner method, int parts, long estimatedBytes) {}

  /// {@return receiver of the progress of partitioning}
  default Progress partitioningProgress() {
    return Progress.SILENT;
  }

  /// The whole graph does not fit, and minibatches are used instead ([TrainingMode.Auto]).
  ///
  /// @param whole memory that the whole graph needs
  /// @param limit bytes that may be used
  /// @param settings of the minibatches, with the largest batch that fits
  default void minibatchesNeeded(MemoryEstimate whole, long limit, MinibatchSettings settings) {}

  /// How ranks share the whole graph was chosen.
  ///
  /// @param choice the chosen strategy and the others that were planned
  default void chosen(ExchangeChoice choice) {}

  /// The training was planned; no memory is allocated yet.
  ///
  /// @param plan layers and memory
  default void planned(TrainingPlan plan) {}

  /// The settings are allowed but unusual.
  ///
  /// @param text one line, with components in braces, as of an
  ///   [dev.gossamer.base.InvalidSettingException]
  default void warning(String text) {}

  /// An epoch has ended.
  ///
  /// @param record its loss, time and scores
  default void epoch(EpochRecord record) {}

  /// The weights after an epoch, which follow [#epoch]. All ranks have the same; the listener is
  /// that of the first.
  ///
  /// @param epoch 1-based
  /// @param state borrowed during the call, and not to be changed
  default void weights(int epoch, DenseState state) {}

  /// Returns a listener that notifies this one and then another. Only this one receives the
  /// progress of partitioning.
  ///
  /// @param other notified, too
  /// @return the listener
  default TrainingListener and(TrainingListener other) {
    return new BothListeners(this, other);
  }
}
