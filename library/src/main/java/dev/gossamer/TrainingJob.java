package dev.gossamer;

import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.partition.Balance;
import dev.gossamer.partition.Partition;
import dev.gossamer.partition.Partitioner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// What is trained, with all that is usual filled in.
///
/// @param data with a split, its features scaled
/// @param training the network, the optimizer and the seed
/// @param ranks how many, and what travels between them
/// @param machine what may be used of it
/// @param listener hears how it goes
record TrainingJob(
    GraphData data,
    NetworkTraining training,
    RankSettings ranks,
    MachineSettings machine,
    TrainingListener listener) {
  /// Threads of each rank.
  int threads() {
    return Math.max(1, machine.threads(ranks.processesHere()) / ranks.ranksHere());
  }

  /// Bytes that this process may take.
  long limit() {
    return machine.limit(ranks.processesHere());
  }

  /// Places the vertices.
  ///
  /// @param where see [Placed#of]
  /// @param balance of the training vertices, which partitioners divide evenly besides
  Placed place(String where, double balance) {
    int blocks = ranks.blocks();
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
