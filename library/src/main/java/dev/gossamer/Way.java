package dev.gossamer;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.Placement;
import dev.gossamer.nn.Kernels;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.EpochTrainer;
import java.util.List;

/// A way to go through the graph: what it needs, where its vertices are, and who trains.
///
/// @param <T> its trainer
interface Way<T extends EpochTrainer> {
  /// Decides what is trained in what memory, and who has which vertex. On the first process, before
  /// ranks start.
  ///
  /// @throws dev.gossamer.matrix.io.InvalidInputException if it does not fit
  Decided decide();

  /// What was decided.
  record Decided(TrainingPlan.Shape shape, TrainingPlan.Way way, Placement placement) {}

  /// The trainer of a rank. Collective.
  T trainer(Communicator world, Placement placement, Kernels kernels);

  /// What is odd about the settings, now that the trainer is there; components in braces. Local.
  default List<String> warnings(T trainer, int epochs) {
    return List.of();
  }

  /// What was measured. Collective.
  TrainingFacts facts(T trainer, List<EpochRecord> records);
}
