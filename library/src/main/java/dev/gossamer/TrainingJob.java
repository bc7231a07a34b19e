package dev.gossamer;

import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.GraphData;
import dev.gossamer.partition.Balance;

/// What is trained, with all defaults filled in.
///
/// @param data with a split, its features scaled
/// @param training the network, the optimizer and the seed
/// @param pace number of epochs, and what happens between them
/// @param ranks how many, and how they exchange rows
/// @param machine threads, memory and matrix products
/// @param listener is notified of progress
record TrainingJob(
    GraphData data,
    NetworkTraining training,
    LearningSettings.Pace pace,
    RankSettings ranks,
    MachineSettings machine,
    TrainingListener listener) {
  /// Threads of each rank.
  int threads() {
    return Math.max(
        1, machine.threads(ranks.launch().processesHere()) / ranks.launch().ranksOfProcess());
  }

  /// Maximum bytes of this process.
  long limit() {
    return machine.limit(ranks.launch().processesHere());
  }

  /// Places the vertices.
  ///
  /// @param where see [Placed#of]
  /// @param balance of the training vertices, which partitioners divide evenly besides
  Placed place(String where, double balance) {
    return place(where, ranks.blocks(), balance);
  }

  /// Places the vertices in another number of blocks.
  Placed place(String where, int blocks, double balance) {
    GraphPartitioning.Listener hears =
        new GraphPartitioning.Listener(
            (method, bytes) -> listener.partitioning(method, blocks, bytes),
            listener.partitioningProgress());
    return Placed.of(
        where,
        blocks,
        GraphPartitioning.of(data)
            .balance(Balance.DEFAULT.withTraining(balance))
            .seed(training.seed())
            .machine(machine)
            .listener(hears));
  }
}
