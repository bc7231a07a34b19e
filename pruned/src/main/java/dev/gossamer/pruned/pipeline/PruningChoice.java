package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.layers.LayerNetwork;
import dev.gossamer.pruned.pipeline.Pruning.Criterion;
import dev.gossamer.pruned.prune.BlockPruning;
import dev.gossamer.pruned.prune.BlockShape;
import dev.gossamer.pruned.prune.ComparisonGroup;
import dev.gossamer.pruned.prune.GradualSchedule;
import dev.gossamer.pruned.prune.MagnitudePruning;
import dev.gossamer.pruned.prune.PruningQuota;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// When a network is pruned in a run, what survives, and how much.
///
/// @param when time of pruning
/// @param criterion what survives
/// @param sparsity share of all parameters that is pruned in the end, where no mask says it
/// @param blocks their shape, for the criterion of that name
public record PruningChoice(Pruning when, Criterion criterion, double sparsity, BlockShape blocks) {
  /// {@return the criterion as users and model files write it, with the shape of blocks:
  /// `blocks=4x4`}
  public String criterionName() {
    return criterion.name(blocks);
  }

  /// {@return share of all parameters that is pruned in the end}
  public double share() {
    return switch (when) {
      case Pruning.None() -> 0;
      case Pruning.Given(Mask mask) -> mask.sparsity();
      case Pruning.OneShot _, Pruning.EarlyBird _, Pruning.Gradual _ -> sparsity;
    };
  }

  /// {@return the shares of all parameters that are pruned, one after the other, that of the first
  /// iteration first} At each change the state before and the one after it are in memory together.
  public List<Double> shares() {
    if (isFirst() || when instanceof Pruning.None) {
      return List.of(share());
    }
    List<Double> shares = new ArrayList<>();
    shares.add(0.0);
    if (when instanceof Pruning.Gradual gradual) {
      GradualSchedule schedule = schedule(gradual);
      for (int step = gradual.begin(); step <= gradual.end(); step++) {
        if (schedule.prunesAt(step) && schedule.at(step) > 0) {
          shares.add(schedule.at(step));
        }
      }
    } else {
      shares.add(share());
    }
    return shares;
  }

  /// How a network is pruned step by step.
  GradualSchedule schedule(Pruning.Gradual gradual) {
    int steps = Math.max(1, (gradual.end() - gradual.begin()) / gradual.every());
    return new GradualSchedule(0, sparsity, gradual.begin(), steps, gradual.every());
  }

  /// Whether a network is pruned before the first iteration, matrix by matrix: then the memory of
  /// the whole network is never taken.
  boolean isFirst() {
    return when instanceof Pruning.Given
        || (when instanceof Pruning.OneShot(int at) && at == 0 && criterion.isByMatrix());
  }

  /// What survives of a state by a criterion that looks at each matrix by itself.
  ///
  /// @param gone share of all parameters of the network
  Mask byMatrix(ModelState state, LayerNetwork network, double gone) {
    PruningQuota quota = PruningQuota.of(network.layout(), gone);
    Map<String, ComparisonGroup> groups = network.comparisonGroups();
    return criterion == Criterion.BLOCKS
        ? BlockPruning.mask(state, quota, groups, blocks)
        : MagnitudePruning.perLayer(state, quota, groups);
  }

  /// {@return whether a mask of an earlier run says what survives}
  public boolean isGiven() {
    return when instanceof Pruning.Given;
  }

  /// {@return whether entire units are removed, so that the network becomes smaller}
  public boolean removesUnits() {
    return criterion.isStructural()
        && !(when instanceof Pruning.Given)
        && !(when instanceof Pruning.None);
  }

  /// Units that are left of the layers that lose some, by their names, if all lose the same share
  /// of theirs: what criteria that compare units of different layers leave is about as large.
  ///
  /// @param network with all units
  /// @param gone share of all parameters
  Map<String, Integer> widths(LayerNetwork network, double gone) {
    return criterion.among(network).widths(left(network.layout(), gone));
  }

  /// {@return bytes of the state of what survives in the end}
  ///
  /// @param network with all units
  /// @param state how its parameters are kept
  public long stateBytes(LayerNetwork network, StateSettings state) {
    if (share() == 0) {
      return state.denseBytes(network.parameters());
    }
    return removesUnits()
        ? state.denseBytes(network.resized(widths(network, share())).parameters())
        : state.prunedBytes(network.layout(), left(network.layout(), share()));
  }

  /// Parameters that are left.
  static long left(ParameterLayout network, double gone) {
    return network.count() - Math.round(gone * (double) network.count());
  }

  /// What survives of a stage before the first iteration; everything unless [#isFirst].
  ///
  /// @param values of the stage's parameters
  Mask firstMask(StagePart part, ParameterValues values) {
    ParameterLayout layout = part.layout();
    if (when instanceof Pruning.Given(Mask whole)) {
      return whole.part(layout);
    }
    if (!isFirst()) {
      return Mask.whole(layout);
    }
    Map<String, BitSet> kept = new HashMap<>();
    for (ParameterLayout.Entry matrix : layout.where(Mask::prunable).entries()) {
      try (Arena local = Arena.ofShared()) {
        DenseState alone = new DenseState(local, layout.alone(matrix.name()));
        values.read(matrix, alone.weights());
        Mask mask = byMatrix(alone, part.network(), sparsity);
        kept.put(matrix.name(), mask.survivors(matrix.name()));
      }
    }
    return new Mask(layout, kept);
  }

  /// Bytes that [#firstMask] takes for a moment: a matrix and the gradient of a state.
  long firstBytes(ParameterLayout layout) {
    boolean drawn = isFirst() && !(when instanceof Pruning.Given);
    return (drawn ? 2 : 1) * largest(layout) * DenseMatrix.ELEMENT_BYTES;
  }

  /// How many masks of a stage are in memory at most: what survives, the mask that is being made,
  /// and those that an early-bird ticket is compared with.
  long masks() {
    if (removesUnits() && !(when instanceof Pruning.EarlyBird)) {
      return 0;
    }
    return switch (when) {
      case Pruning.None() -> 0;
      case Pruning.EarlyBird bird -> 2 + bird.window();
      case Pruning.OneShot _, Pruning.Gradual _, Pruning.Given _ -> 2;
    };
  }

  private static long largest(ParameterLayout layout) {
    return layout.entries().stream().mapToLong(ParameterLayout.Entry::count).max().orElse(0);
  }
}
