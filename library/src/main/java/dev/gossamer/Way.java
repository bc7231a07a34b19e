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

/// A way to go through the graph: what it needs, where its vertices are, and who trains.
///
/// @param <T> its trainer
interface Way<T extends EpochTrainer> {
  /// Decides what is trained in what memory, and who has which vertex. On the first process, before
  /// ranks start.
  ///
  /// @throws dev.gossamer.base.InvalidInputException if it does not fit
  Decided decide();

  /// What was decided.
  ///
  /// @param ranks with what was chosen of them
  /// @param cost of an epoch; null if nothing is known of the machines
  record Decided(
      TrainingPlan.Shape shape,
      TrainingPlan.Way way,
      RankSettings ranks,
      @Nullable EpochCost cost,
      Placement placement) {}

  /// How many blocks the vertices are in, as the first process has decided. Collective, and called
  /// before anything else is asked of the ranks.
  int blocks(Communicator world);

  /// The trainer of a rank. Collective.
  T trainer(Communicator world, Placement placement, Kernels kernels);

  /// What is odd about the settings, now that the trainer is there; components in braces. Local.
  default List<String> warnings(T trainer, int epochs) {
    return List.of();
  }

  /// What has turned out to be odd in an epoch, once; components in braces. Local.
  default Optional<String> takeWarning(T trainer) {
    return Optional.empty();
  }

  /// What was measured. Collective.
  TrainingFacts facts(T trainer, List<EpochRecord> records);
}
