package dev.gossamer.pruned.prune;

import dev.gossamer.matrix.dense.MagnitudeKeys;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntToLongFunction;

/// Prunes the elements nearest to zero (S. Han et al., *Learning both Weights and Connections for
/// Efficient Neural Networks*, NeurIPS 2015; J. Frankle and M. Carbin, *The Lottery Ticket
/// Hypothesis*, ICLR 2019).
///
/// Pruned elements stay pruned. Ties are broken by position: the first elements survive, in the
/// order of the layout. Local, except for functions of the caller that sum over ranks. Cost: 32
/// passes over the matrices.
public final class MagnitudePruning {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private MagnitudePruning() {}

  /// Prunes the smallest elements of every matrix.
  ///
  /// @param state of the parameters
  /// @param quota number of pruned elements; may be that of a larger network
  /// @param groups which elements of a matrix are compared, by its name; by default those of the
  ///   whole matrix
  /// @return the mask
  /// @throws IllegalArgumentException if more are already pruned
  public static Mask perLayer(
      ModelState state, PruningQuota quota, Map<String, ComparisonGroup> groups) {
    Mask before = state.mask();
    Map<String, BitSet> kept = new HashMap<>();
    for (ParameterLayout.Entry matrix : matrices(state).entries()) {
      BitSet bits = before.survivors(matrix.name());
      long removed = quota.removed(matrix.name());
      ComparisonGroup group = groups.getOrDefault(matrix.name(), ComparisonGroup.MATRIX);
      kept.put(
          matrix.name(),
          switch (group) {
            case MATRIX -> largest(state, matrix, removed, bits);
            case ROW, COLUMN -> GroupThresholds.survivors(state, matrix, group, removed, bits);
          });
    }
    return new Mask(state.layout(), kept);
  }

  private static BitSet largest(
      ModelState state, ParameterLayout.Entry matrix, long removed, BitSet before) {
    MemorySegment values = values(state, matrix.name());
    GlobalThreshold threshold =
        GlobalThreshold.find(
            matrix.count() - removed, key -> MagnitudeKeys.countAtLeast(values, key));
    MemorySegment ascending = state.survivors(Arena.ofAuto(), matrix.name(), state.weights());
    prune(before, ascending, threshold, threshold.ties());
    return before;
  }

  /// Prunes the smallest elements of all matrices together.
  ///
  /// @param state of the parameters
  /// @param sparsity fraction of all parameters
  /// @return the mask
  /// @throws IllegalArgumentException if this number cannot be pruned, or more are already pruned
  public static Mask global(ModelState state, double sparsity) {
    long prunable = matrices(state).count();
    long removed = PruningQuota.total(state.layout().count(), prunable, sparsity);
    GlobalThreshold threshold =
        GlobalThreshold.find(prunable - removed, key -> countAtLeast(state, key));
    return at(state, threshold, 0);
  }

  /// Computes a part of the mask of [#global] for a network whose parameters are distributed over
  /// ranks. Ranks are in the order of their parts of the layout.
  ///
  /// @param state of the parameters
  /// @param kept number of surviving elements in all matrices of all ranks
  /// @param countAtLeast sum over all ranks of [#countAtLeast]: *collective*
  /// @param tiesBefore sum over the ranks before this one of [#ties] at a key: *collective*
  /// @return the mask
  public static Mask global(
      ModelState state, long kept, IntToLongFunction countAtLeast, IntToLongFunction tiesBefore) {
    GlobalThreshold threshold = GlobalThreshold.find(kept, countAtLeast);
    return at(state, threshold, tiesBefore.applyAsLong(threshold.key()));
  }

  /// {@return the number of elements in a state's matrices with at least a given magnitude}
  ///
  /// @param state of the parameters
  /// @param key as of [MagnitudeKeys]
  public static long countAtLeast(ModelState state, int key) {
    long count = 0;
    for (ParameterLayout.Entry matrix : matrices(state).entries()) {
      count += MagnitudeKeys.countAtLeast(values(state, matrix.name()), key);
    }
    return count;
  }

  /// {@return the number of elements in a state's matrices with exactly a given magnitude}
  ///
  /// @param state of the parameters
  /// @param key as of [MagnitudeKeys], below the largest
  public static long ties(ModelState state, int key) {
    long above = key == Integer.MAX_VALUE ? 0 : countAtLeast(state, key + 1);
    return countAtLeast(state, key) - above;
  }

  private static Mask at(ModelState state, GlobalThreshold threshold, long tiesBefore) {
    Mask before = state.mask();
    Map<String, BitSet> kept = new HashMap<>();
    long ties = threshold.ties() - tiesBefore;
    for (ParameterLayout.Entry matrix : matrices(state).entries()) {
      BitSet bits = before.survivors(matrix.name());
      ties =
          prune(
              bits,
              state.survivors(Arena.ofAuto(), matrix.name(), state.weights()),
              threshold,
              ties);
      kept.put(matrix.name(), bits);
    }
    return new Mask(state.layout(), kept);
  }

  /// Clears the survivors that do not reach a threshold.
  ///
  /// @param bits survivors so far
  /// @param values of these, in their order
  /// @param ties survivors at the threshold that may stay
  /// @return how many of `ties` are left
  private static long prune(
      BitSet bits, MemorySegment values, GlobalThreshold threshold, long ties) {
    long left = ties;
    long at = 0;
    for (int i = bits.nextSetBit(0); i >= 0; i = bits.nextSetBit(i + 1)) {
      int key = MagnitudeKeys.of(values.getAtIndex(FLOAT, at++));
      boolean stays = key > threshold.key() || (key == threshold.key() && left > 0);
      if (key == threshold.key()) {
        left--;
      }
      if (!stays) {
        bits.clear(i);
      }
    }
    return left;
  }

  private static ParameterLayout matrices(ModelState state) {
    return state.layout().where(Mask::prunable);
  }

  /// What is kept of a parameter, in any order.
  private static MemorySegment values(ModelState state, String name) {
    return state.kept().entry(name).of(state.weights());
  }
}
