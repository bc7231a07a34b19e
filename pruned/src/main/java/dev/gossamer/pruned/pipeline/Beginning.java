package dev.gossamer.pruned.pipeline;

import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.run.RunFolder;
import org.jspecify.annotations.Nullable;

/// What a stage begins with. A network that is pruned from the beginning never takes the memory of
/// one that is not: its state is made of mask and values, parameter by parameter.
///
/// @param mask of the stage's parameters
/// @param values of parameters and statistics
public record Beginning(Mask mask, ParameterValues values) {
  /// {@return the beginning of a stage whose parameters all survive}
  ///
  /// @param part the stage
  /// @param values of parameters and statistics
  public static Beginning whole(StagePart part, ParameterValues values) {
    return new Beginning(Mask.whole(part.layout()), values);
  }

  /// {@return a stage of the network that a run begins with: of what is left of it in the run's
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

  /// {@return what a stage of a run begins with: the survivors of the run's checkpoint, whose
  /// values [PipelineTraining] reads; else a trained network or first values, pruned if that is to
  /// be before the first iteration and can be decided matrix by matrix}
  ///
  /// @param part the stage, as [#part] gives it
  /// @param pruning of the run
  /// @param start trained network; null for first values
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
