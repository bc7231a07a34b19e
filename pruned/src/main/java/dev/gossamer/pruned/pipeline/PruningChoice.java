package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.prune.BlockPruning;
import dev.gossamer.pruned.prune.BlockShape;
import dev.gossamer.pruned.prune.ComparisonGroup;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.GradualSchedule;
import dev.gossamer.pruned.prune.MagnitudePruning;
import dev.gossamer.pruned.prune.Pruning;
import dev.gossamer.pruned.prune.PruningQuota;
import dev.gossamer.pruned.prune.StructuredPruning;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The choice of when a network is pruned in a run, and which fraction of parameters survives by
/// which criterion.
///
/// @param when time of pruning, as returned by [Pruning#over]
/// @param criterion what survives
/// @param sparsity fraction of all parameters that is pruned in the end: that of the mask, if there
///   is one; 0 if the network is never pruned
/// @param blocks shape of blocks, for [Criterion#BLOCKS]
/// @param mask of the whole network, by which it is pruned; null if the criterion decides
public record PruningChoice(
    Pruning when, Criterion criterion, double sparsity, BlockShape blocks, @Nullable Mask mask) {
  /// {@return the criterion in its text form, with the shape of blocks: `blocks=4x4`}
  public String criterionName() {
    return criterion.name(blocks);
  }

  /// {@return the sparsities of the network in order, starting with the first iteration} At each
  /// change, the states before and after it are in memory together.
  public List<Double> sparsities() {
    if (isFirst() || when instanceof Pruning.Never) {
      return List.of(sparsity);
    }
    List<Double> sparsities = new ArrayList<>();
    sparsities.add(0.0);
    if (when instanceof Pruning.Gradual gradual) {
      GradualSchedule schedule = gradual.schedule(sparsity);
      for (int i = 1; i <= schedule.prunings(); i++) {
        sparsities.add(schedule.at(schedule.begin() + i * schedule.every()));
      }
    } else {
      sparsities.add(sparsity);
    }
    return sparsities;
  }

  /// Returns whether a network is pruned before the first iteration, matrix by matrix; then the
  /// unpruned network is never in memory.
  boolean isFirst() {
    return isGiven()
        || (when instanceof Pruning.OneShot(int at) && at == 0 && criterion.isByMatrix());
  }

  /// Returns the mask of a state by a criterion that prunes each matrix separately.
  ///
  /// @param reached sparsity of the network
  Mask byMatrix(ModelState state, LayerNetwork network, double reached) {
    PruningQuota quota = PruningQuota.of(network.layout(), reached);
    Map<String, ComparisonGroup> groups = network.comparisonGroups();
    return criterion == Criterion.BLOCKS
        ? BlockPruning.mask(state, quota, groups, blocks)
        : MagnitudePruning.perLayer(state, quota, groups);
  }

  /// {@return whether a mask of an earlier run is used}
  public boolean isGiven() {
    return mask != null;
  }

  /// {@return whether entire units are removed, so that the network becomes smaller}
  public boolean removesUnits() {
    return criterion.isStructural() && !isGiven() && !(when instanceof Pruning.Never);
  }

  /// The units that may be removed.
  StructuredPruning units(LayerNetwork network) {
    return criterion.among(network.layout(), network.structures(), network.name());
  }

  /// Returns the remaining units of layers, by layer name, if all lose the same share; an estimate
  /// for criteria that compare units of different layers.
  ///
  /// @param network with all units
  /// @param reached its sparsity
  Map<String, Integer> widths(LayerNetwork network, double reached) {
    return units(network).widths(left(network.layout(), reached));
  }

  /// {@return bytes of the state at the final sparsity}
  ///
  /// @param network with all units
  /// @param state storage of its parameters
  public long stateBytes(LayerNetwork network, StateSettings state) {
    if (sparsity == 0) {
      return state.denseBytes(network.parameters());
    }
    return removesUnits()
        ? state.denseBytes(network.resized(widths(network, sparsity)).parameters())
        : state.prunedBytes(network.layout(), left(network.layout(), sparsity));
  }

  /// Returns the number of remaining parameters.
  static long left(ParameterLayout network, double sparsity) {
    return network.count() - Math.round(sparsity * (double) network.count());
  }

  /// Returns the mask of a stage before the first iteration; everything survives unless [#isFirst].
  ///
  /// @param values of the stage's parameters
  Mask firstMask(StagePart part, ParameterValues values) {
    ParameterLayout layout = part.layout();
    if (mask != null) {
      return mask.part(layout);
    }
    if (!isFirst()) {
      return Mask.whole(layout);
    }
    Map<String, BitSet> kept = new HashMap<>();
    for (ParameterLayout.Entry matrix : layout.where(Mask::prunable).entries()) {
      try (Arena local = Arena.ofShared()) {
        DenseState alone = new DenseState(local, layout.alone(matrix.name()));
        values.read(matrix, alone.weights());
        Mask survivors = byMatrix(alone, part.network(), sparsity);
        kept.put(matrix.name(), survivors.survivors(matrix.name()));
      }
    }
    return new Mask(layout, kept);
  }

  /// Returns the temporary bytes of [#firstMask]: a matrix and the gradient of a state.
  long firstBytes(ParameterLayout layout) {
    boolean drawn = isFirst() && !isGiven();
    return (drawn ? 2 : 1) * largest(layout) * DenseMatrix.ELEMENT_BYTES;
  }

  /// Returns the maximum number of a stage's masks in memory: the current mask, the next one, and
  /// those that an early-bird ticket is compared with.
  long masks() {
    if (removesUnits() && !(when instanceof Pruning.EarlyBird)) {
      return 0;
    }
    return switch (when) {
      case Pruning.Never() -> 0;
      case Pruning.EarlyBird bird -> 2 + bird.maskWindow();
      case Pruning.OneShot _, Pruning.Gradual _, Pruning.ByMask _ -> 2;
    };
  }

  private static long largest(ParameterLayout layout) {
    return layout.entries().stream().mapToLong(ParameterLayout.Entry::count).max().orElse(0);
  }
}
