package dev.gossamer;

import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.graph.Progress;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.memory.MemoryEstimate;

/// Two listeners of one training.
///
/// @param first notified first; also receives the progress of partitioning
/// @param second notified after it
record BothListeners(TrainingListener first, TrainingListener second) implements TrainingListener {
  @Override
  public void splitDrawn(SplitProportions split) {
    first.splitDrawn(split);
    second.splitDrawn(split);
  }

  @Override
  public void partitioning(Partitioner method, int parts, long estimatedBytes) {
    first.partitioning(method, parts, estimatedBytes);
    second.partitioning(method, parts, estimatedBytes);
  }

  @Override
  public Progress partitioningProgress() {
    return first.partitioningProgress();
  }

  @Override
  public void minibatchesNeeded(MemoryEstimate whole, long limit, MinibatchSettings settings) {
    first.minibatchesNeeded(whole, limit, settings);
    second.minibatchesNeeded(whole, limit, settings);
  }

  @Override
  public void chosen(ExchangeChoice choice) {
    first.chosen(choice);
    second.chosen(choice);
  }

  @Override
  public void planned(TrainingPlan plan) {
    first.planned(plan);
    second.planned(plan);
  }

  @Override
  public void warning(String text) {
    first.warning(text);
    second.warning(text);
  }

  @Override
  public void epoch(EpochRecord record) {
    first.epoch(record);
    second.epoch(record);
  }

  @Override
  public void weights(int epoch, DenseState state) {
    first.weights(epoch, state);
    second.weights(epoch, state);
  }
}
