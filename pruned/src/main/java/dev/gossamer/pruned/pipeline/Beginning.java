package dev.gossamer.pruned.pipeline;

import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.run.MetricsFile;
import dev.gossamer.run.RunFolder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The initial state of a stage. A network that is pruned from the start never takes the memory of
/// an unpruned one: its state is created from mask and values, parameter by parameter.
///
/// @param mask of the stage's parameters
/// @param values of parameters and statistics
public record Beginning(Mask mask, ParameterValues values) {
  /// {@return the initial state of a stage whose parameters all survive}
  ///
  /// @param part the stage
  /// @param values of parameters and statistics
  public static Beginning whole(StagePart part, ParameterValues values) {
    return new Beginning(Mask.whole(part.layout()), values);
  }

  /// {@return a stage of the network that a run starts with: the smaller network of the run's
  /// checkpoint, if units have been removed}
  ///
  /// @param part the stage of the whole network
  /// @param folder of the run; null for none
  /// @throws dev.gossamer.base.InvalidInputException if the checkpoint is damaged or of another
  ///   model
  public static StagePart part(StagePart part, @Nullable RunFolder folder) {
    if (folder != null) {
      PipelineCheckpoint checkpoint = new PipelineCheckpoint(folder.checkpoint());
      if (checkpoint.exists()) {
        return part.of(checkpoint.network(part.network())).cutAnew();
      }
    }
    return part;
  }

  /// {@return the initial state of a stage: the survivors of the run's checkpoint, whose values
  /// [PipelineTraining] reads; otherwise a trained network or initial values, pruned if pruning is
  /// due before the first iteration and can be decided matrix by matrix}
  ///
  /// @param part the stage, as returned by [#part]
  /// @param pruning of the run
  /// @param start trained network; null for initial values
  /// @param folder of the run; null for none
  /// @throws dev.gossamer.base.InvalidInputException if the checkpoint is damaged or of another
  ///   model
  public static Beginning of(
      StagePart part,
      PruningChoice pruning,
      @Nullable NetworkTensors start,
      @Nullable RunFolder folder) {
    if (folder != null) {
      PipelineCheckpoint checkpoint = new PipelineCheckpoint(folder.checkpoint());
      if (checkpoint.exists()) {
        return new Beginning(checkpoint.mask(part.layout()), ParameterValues.ZERO);
      }
    }
    ParameterValues values = start == null ? part.firstValues() : start.firstRows();
    return new Beginning(pruning.firstMask(part, values), values);
  }

  /// Puts the checkpoint before the newest of a run in its place if the newest is damaged and the
  /// earlier one is not, unless another training writes to the folder. Called before ranks start,
  /// on every process, each of which reads the checkpoint then.
  ///
  /// @param folder of the run
  /// @return what is wrong with the newest checkpoint, if it was replaced
  public static Optional<String> mend(RunFolder folder) {
    return MetricsFile.isOpen(folder.metrics())
        ? Optional.empty()
        : new PipelineCheckpoint(folder.checkpoint()).mend();
  }

  /// {@return the sparsity of the network in a run's checkpoint; 0 if there is none}
  ///
  /// @param network of the run
  /// @param folder of the run
  /// @throws dev.gossamer.base.InvalidInputException if the checkpoint is damaged or of another
  ///   model
  public static double sparsity(LayerNetwork network, RunFolder folder) {
    PipelineCheckpoint checkpoint = new PipelineCheckpoint(folder.checkpoint());
    if (!checkpoint.exists()) {
      return 0;
    }
    ParameterLayout left = checkpoint.network(network).layout();
    return 1 - (double) checkpoint.mask(left).count() / (double) network.parameters();
  }
}
