package dev.gossamer;

import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.GraphData;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The plan of a training, made before it allocates memory.
///
/// @param data what is trained on
/// @param training the network, the optimizer and the seed
/// @param shape the layers, on the rank that needs most, and their memory
/// @param way whole graph or minibatches
/// @param cost planned cost of an epoch; null if nothing is known of the machines
/// @param folder of the run; null if it has none
public record TrainingPlan(
    GraphData data,
    NetworkTraining training,
    Shape shape,
    Way way,
    @Nullable EpochCost cost,
    @Nullable RunFolder folder) {
  /// {@return what a run folder keeps of the plan}
  public RunEstimate estimate() {
    Map<String, Double> seconds =
        cost == null
            ? Map.of()
            : cost.phases().entrySet().stream()
                .filter(phase -> phase.getValue() > 0)
                .collect(Collectors.toMap(phase -> phase.getKey().label(), Map.Entry::getValue));
    return new RunEstimate(shape.memory(), seconds);
  }

  /// Layers and memory.
  ///
  /// @param network layers and parameters
  /// @param buffers of an epoch, on the rank that needs most
  /// @param memory of this process, or of the process that needs most
  public record Shape(Network network, BufferPlan buffers, MemoryEstimate memory) {
    /// Returns the shape in the process that has opened the data.
    Shape in(Dataset dataset) {
      return new Shape(network, buffers, dataset.in(memory));
    }
  }

  /// Whole graph or minibatches.
  public sealed interface Way {}

  /// One step per epoch over all vertices.
  ///
  /// @param plan what ranks exchange and store
  /// @param exchange buffers for remote rows, on the rank that needs most
  /// @param squeeze why slower products that need less memory are used; null if they are not
  /// @param partitioning that was made for it; null if none was
  public record WholeGraph(
      RankPlan plan,
      BufferPlan exchange,
      @Nullable Squeeze squeeze,
      GraphPartitioning.@Nullable Result partitioning)
      implements Way {}

  /// The usual products do not fit in memory.
  ///
  /// @param usual bytes that they would need
  /// @param limit maximum bytes
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
