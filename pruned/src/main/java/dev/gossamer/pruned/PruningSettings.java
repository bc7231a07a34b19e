package dev.gossamer.pruned;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.PruningChoice;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.BlockPruning;
import dev.gossamer.pruned.prune.BlockShape;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.MaskFile;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.pruned.prune.Pruning.ByMask;
import dev.gossamer.pruned.prune.Pruning.Gradual;
import dev.gossamer.pruned.prune.Pruning.Never;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Settings of pruning: time, sparsity and criterion.
///
/// @param when time of pruning
/// @param sparsity fraction of all parameters that is pruned in the end
/// @param criterion what survives; null for entire heads, neurons and channels if they make up
///   enough of the network, otherwise for individual elements of each matrix
/// @param blocks shape of blocks, for [Criterion#BLOCKS]
public record PruningSettings(
    Pruning when, double sparsity, @Nullable Criterion criterion, BlockShape blocks) {
  /// Default fraction of pruned parameters: it increases the loss of small networks by a few
  /// percent. SAMO uses 0.9, with overparameterised networks.
  public static final double DEFAULT_SPARSITY = 0.7;

  /// Step by step.
  public static final PruningSettings DEFAULT =
      new PruningSettings(Gradual.DEFAULT, DEFAULT_SPARSITY, null, BlockShape.DEFAULT);

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if the sparsity is out of its range
  public PruningSettings {
    if (!(sparsity > 0 && sparsity < 1)) {
      throw new InvalidSettingException(
          "{sparsity}: expected more than 0 and less than 1, found " + sparsity);
    }
  }

  /// {@return a copy with another time of pruning}
  ///
  /// @param newWhen time of pruning
  public PruningSettings withWhen(Pruning newWhen) {
    return new PruningSettings(newWhen, sparsity, criterion, blocks);
  }

  /// {@return a copy with another sparsity}
  ///
  /// @param newSparsity fraction of all parameters
  public PruningSettings withSparsity(double newSparsity) {
    return new PruningSettings(when, newSparsity, criterion, blocks);
  }

  /// {@return a copy with another criterion}
  ///
  /// @param newCriterion what survives
  public PruningSettings withCriterion(Criterion newCriterion) {
    return new PruningSettings(when, sparsity, newCriterion, blocks);
  }

  /// {@return a copy that prunes blocks}
  ///
  /// @param shape of the blocks
  public PruningSettings withBlocks(BlockShape shape) {
    return new PruningSettings(when, sparsity, Criterion.BLOCKS, shape);
  }

  /// Returns a copy with an absolute path, if there is a mask.
  PruningSettings absolute() {
    return when instanceof ByMask(Path mask)
        ? withWhen(new ByMask(mask.toAbsolutePath().normalize()))
        : this;
  }

  /// {@return the criterion in its text form, with the shape of blocks: `blocks=4x4`; empty if none
  /// is given}
  public String criterionName() {
    return criterion == null ? "" : criterion.name(blocks);
  }

  /// {@return whether the network is pruned at all}
  public boolean prunes() {
    return !(when instanceof Never);
  }

  /// Whether entire blocks survive in the end.
  ///
  /// @throws InvalidInputException if the settings have a mask that cannot be read
  boolean leavesBlocks() {
    return when instanceof ByMask(Path mask)
        ? BlockPruning.isInBlocks(MaskFile.read(mask))
        : criterion == Criterion.BLOCKS;
  }

  /// When the network is pruned in a run.
  ///
  /// @throws InvalidSettingException if the iterations do not fit each other, or the run would end
  ///   before the network is pruned to its sparsity
  /// @throws InvalidInputException if the mask cannot be read or is for another network
  PruningChoice over(int iterations, LayerNetwork network, StorageSettings storage) {
    Criterion chosen = criterion == null ? usual(network, storage) : criterion;
    if (when instanceof ByMask(Path file)) {
      Mask mask = MaskFile.read(file, network.layout());
      return new PruningChoice(when, chosen, mask.sparsity(), blocks, mask);
    }
    return new PruningChoice(when.over(iterations), chosen, prunes() ? sparsity : 0, blocks, null);
  }

  /// Whole units, unless too few parameters belong to them or the form of single elements is given.
  private Criterion usual(LayerNetwork network, StorageSettings storage) {
    boolean formed =
        storage.index() != null
            || storage.downCast() != null
            || storage.products() != Products.AUTO;
    return !formed && Criterion.STRUCTURES.reaches(sparsity, network.layout(), network.structures())
        ? Criterion.STRUCTURES
        : Criterion.PER_LAYER;
  }
}
