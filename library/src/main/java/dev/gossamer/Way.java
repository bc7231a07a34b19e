package dev.gossamer;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.Placement;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.EpochTrainer;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Training on the whole graph or on minibatches: memory, placement of the vertices, and trainer.
///
/// @param <T> the trainer
interface Way<T extends EpochTrainer> {
  /// Plans the memory and the placement of the vertices. Called on the first process, before ranks
  /// start.
  ///
  /// @throws dev.gossamer.base.InvalidInputException if it does not fit
  Decided decide();

  /// What was decided.
  ///
  /// @param ranks with all choices made
  /// @param cost of an epoch; null if nothing is known of the machines
  record Decided(
      TrainingPlan.Shape shape,
      TrainingPlan.Way way,
      RankSettings ranks,
      @Nullable EpochCost cost,
      Placement placement) {}

  /// Returns the number of blocks of vertices that the first process has decided on. Collective,
  /// and the first call of the ranks.
  int blocks(Communicator world);

  /// Returns the trainer of a rank. Collective.
  T trainer(Communicator world, Placement placement, Kernels kernels);

  /// Returns warnings about the settings, given the trainer; components in braces. Local.
  default List<String> warnings(T trainer, int epochs) {
    return List.of();
  }

  /// Returns a warning about an epoch, once; components in braces. Local.
  default Optional<String> takeWarning(T trainer) {
    return Optional.empty();
  }

  /// Returns the measurements. Collective.
  TrainingFacts facts(T trainer, List<EpochRecord> records);
}
