package dev.gossamer;

import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.GraphData;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import org.jspecify.annotations.Nullable;

/// What a training consists of, decided before it takes memory.
///
/// @param data what is trained on
/// @param training the network, the optimizer and the seed
/// @param shape the layers, on the rank that needs most, and what they take
/// @param way through the graph
/// @param cost of an epoch, planned; null if nothing is known of the machines
/// @param folder of the run; null if it has none
public record TrainingPlan(
    GraphData data,
    NetworkTraining training,
    Shape shape,
    Way way,
    @Nullable EpochCost cost,
    @Nullable RunFolder folder) {
  /// Layers and memory.
  ///
  /// @param network layers and parameters
  /// @param buffers of an epoch, on the rank that needs most
  /// @param memory of this process, or of the process that needs most
  public record Shape(Network network, BufferPlan buffers, MemoryEstimate memory) {
    /// The same in the process that has opened the data.
    Shape in(Dataset dataset) {
      return new Shape(network, buffers, dataset.in(memory));
    }
  }

  /// How training goes through the graph.
  public sealed interface Way {}

  /// One step per epoch over all vertices.
  ///
  /// @param plan what ranks move and hold
  /// @param exchange buffers for rows of other ranks, on the rank that needs most
  /// @param squeeze why products are not done as usual; null if they are
  /// @param partitioning that was made for it; null if none was
  public record WholeGraph(
      RankPlan plan,
      BufferPlan exchange,
      @Nullable Squeeze squeeze,
      GraphPartitioning.@Nullable Result partitioning)
      implements Way {}

  /// What would be done is too large for the memory.
  ///
  /// @param usual bytes that it would take
  /// @param limit bytes that may be taken
  public record Squeeze(long usual, long limit) {}

  /// Sampled minibatches.
  ///
  /// @param plan layers, the largest batch and memory
  /// @param settings with the bulk and the step that were chosen
  /// @param partitioning that was made for it; null if none was
  public record Minibatches(
      MinibatchPlan plan,
      MinibatchSettings settings,
      GraphPartitioning.@Nullable Result partitioning)
      implements Way {}
}
