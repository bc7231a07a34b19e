package dev.gossamer;

import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.graph.Progress;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.memory.MemoryEstimate;

/// Hears how a training goes. Calls come from the thread that trains: an implementation returns
/// quickly.
public interface TrainingListener {
  /// Listens to nothing.
  TrainingListener SILENT = new TrainingListener() {};

  /// The data set has no split, and one was drawn.
  ///
  /// @param split in which proportions
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

  /// Minibatches were to be used if needed, and are: the whole graph does not fit.
  ///
  /// @param whole what the whole graph needs
  /// @param limit bytes that may be used
  /// @param settings of the minibatches, with the largest batch that fits
  default void minibatchesNeeded(MemoryEstimate whole, long limit, MinibatchSettings settings) {}

  /// How ranks share the whole graph was chosen.
  ///
  /// @param choice with what else was planned
  default void chosen(ExchangeChoice choice) {}

  /// What is about to be trained, in what memory: before any is taken.
  ///
  /// @param plan with the layers and what they take
  default void planned(TrainingPlan plan) {}

  /// Something about the settings is allowed, and odd.
  ///
  /// @param text one line, with components in braces, as of an
  ///   [dev.gossamer.base.InvalidSettingException]
  default void warning(String text) {}

  /// An epoch has ended.
  ///
  /// @param record its loss, time and scores
  default void epoch(EpochRecord record) {}
}
