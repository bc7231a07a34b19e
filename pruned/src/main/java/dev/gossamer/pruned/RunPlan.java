package dev.gossamer.pruned;

import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.IterationForecast;
import dev.gossamer.pruned.pipeline.PipelineSettings;
import dev.gossamer.pruned.pipeline.RankGrid;
import dev.gossamer.pruned.pipeline.StagePart;
import dev.gossamer.pruned.pipeline.StateSettings;
import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.memory.MemoryEstimate;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The plan of a run that fits into memory; created before memory is allocated.
///
/// @param data the training data
/// @param architecture of the network
/// @param stages of the network; each rank has one
/// @param rank the resources of a rank
/// @param folder of the run; null if it writes no files, and on processes other than the first
public record RunPlan(
    Data data,
    DenseArchitecture architecture,
    List<StagePart> stages,
    PerRank rank,
    @Nullable Path folder) {
  /// The training data.
  ///
  /// @param name of its file or folder
  /// @param description one line: name, kind and sizes of the parts
  /// @param labelsPerSample more than one for a text
  public record Data(String name, String description, int labelsPerSample) {}

  /// The resources of a rank.
  ///
  /// @param memory of the rank that needs the most
  /// @param threads number of threads of a rank
  /// @param together ranks of this process
  /// @param seconds planned for an iteration once the network is pruned; null if nothing is known
  ///   of the machines
  public record PerRank(
      MemoryEstimate memory, int threads, int together, @Nullable IterationForecast seconds) {
    /// Of all ranks of this process.
    private MemoryEstimate ofProcess() {
      return new MemoryEstimate(
          memory.items().stream()
              .map(item ->
                  new MemoryEstimate.Item(item.name(), together * item.bytes(), item.mapped()))
              .toList());
    }
  }

  /// Copies the collections.
  public RunPlan {
    stages = List.copyOf(stages);
  }

  /// {@return a copy on another grid}
  ///
  /// @param newStages of the network there
  public RunPlan on(List<StagePart> newStages) {
    return new RunPlan(data, architecture, newStages, rank, folder);
  }

  /// {@return what the run's folder has of the plan: memory of this process, planned seconds}
  public RunEstimate estimate() {
    return new RunEstimate(
        rank.ofProcess(), rank.seconds == null ? Map.of() : rank.seconds.byPhase());
  }

  /// {@return the network}
  public LayerNetwork network() {
    return stages.getFirst().network();
  }

  /// {@return how an iteration is divided}
  public PipelineSettings settings() {
    return stages.getFirst().settings();
  }

  /// {@return the grid of stages and replicas}
  public RankGrid grid() {
    return settings().grid();
  }

  /// {@return how parameters and gradients are stored}
  public StateSettings state() {
    return stages.getFirst().stateSettings();
  }

  /// {@return floating-point operations of one iteration on all ranks: a backward pass takes twice
  /// as many as a forward pass, which is repeated if activations are recomputed}
  public double operations() {
    int passes = settings().batches().checkpointActivations() ? 4 : 3;
    return architecture.operations() * settings().batch() * passes;
  }
}
