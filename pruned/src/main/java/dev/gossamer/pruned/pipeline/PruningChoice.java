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

/// When a network is pruned in a run, what survives, and how much.
///
/// @param when time of pruning, as [Pruning#over] gives it
/// @param criterion what survives
/// @param sparsity fraction of all parameters that is pruned in the end: that of the mask, if there
///   is one; 0 if the network is never pruned
/// @param blocks their shape, for the criterion of that name
/// @param mask of the whole network, by which it is pruned; null if the criterion decides
public record PruningChoice(
    Pruning when, Criterion criterion, double sparsity, BlockShape blocks, @Nullable Mask mask) {
  /// {@return the criterion as users and model files write it, with the shape of blocks:
  /// `blocks=4x4`}
  public String criterionName() {
    return criterion.name(blocks);
  }

  /// {@return the sparsities of the network, one after the other, that of the first iteration
  /// first} At each change the state before and the one after it are in memory together.
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

  /// Whether a network is pruned before the first iteration, matrix by matrix: then the memory of
  /// the whole network is never taken.
  boolean isFirst() {
    return isGiven()
        || (when instanceof Pruning.OneShot(int at) && at == 0 && criterion.isByMatrix());
  }

  /// What survives of a state by a criterion that looks at each matrix by itself.
  ///
  /// @param reached sparsity of the network
  Mask byMatrix(ModelState state, LayerNetwork network, double reached) {
    PruningQuota quota = PruningQuota.of(network.layout(), reached);
    Map<String, ComparisonGroup> groups = network.comparisonGroups();
    return criterion == Criterion.BLOCKS
        ? BlockPruning.mask(state, quota, groups, blocks)
        : MagnitudePruning.perLayer(state, quota, groups);
  }

  /// {@return whether a mask of an earlier run says what survives}
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

  /// Units that are left of the layers that lose some, by their names, if all lose the same share
  /// of theirs: what criteria that compare units of different layers leave is about as large.
  ///
  /// @param network with all units
  /// @param reached its sparsity
  Map<String, Integer> widths(LayerNetwork network, double reached) {
    return units(network).widths(left(network.layout(), reached));
  }

  /// {@return bytes of the state of what survives in the end}
  ///
  /// @param network with all units
  /// @param state how its parameters are kept
  public long stateBytes(LayerNetwork network, StateSettings state) {
    if (sparsity == 0) {
      return state.denseBytes(network.parameters());
    }
    return removesUnits()
        ? state.denseBytes(network.resized(widths(network, sparsity)).parameters())
        : state.prunedBytes(network.layout(), left(network.layout(), sparsity));
  }

  /// Parameters that are left.
  static long left(ParameterLayout network, double sparsity) {
    return network.count() - Math.round(sparsity * (double) network.count());
  }

  /// What survives of a stage before the first iteration; everything unless [#isFirst].
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

  /// Bytes that [#firstMask] takes for a moment: a matrix and the gradient of a state.
  long firstBytes(ParameterLayout layout) {
    boolean drawn = isFirst() && !isGiven();
    return (drawn ? 2 : 1) * largest(layout) * DenseMatrix.ELEMENT_BYTES;
  }

  /// How many masks of a stage are in memory at most: what survives, the mask that is being made,
  /// and those that an early-bird ticket is compared with.
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
