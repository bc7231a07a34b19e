package dev.gossamer.pruned.prune;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The number of elements of each matrix to prune for a sparsity of all parameters: the same share
/// of every matrix, with an exact total.
///
/// @param layout of all parameters
/// @param removed pruned elements of each matrix
public record PruningQuota(ParameterLayout layout, Map<String, Long> removed) {
  /// Copies the collections.
  public PruningQuota {
    removed = Map.copyOf(removed);
  }

  /// {@return the number of elements to prune: `round(sparsity * parameters)`}
  ///
  /// @param parameters number of all parameters
  /// @param prunable number of parameters that may be pruned
  /// @param sparsity fraction of all parameters
  /// @throws InvalidSettingException if fewer may be pruned, or the sparsity is not a fraction
  public static long total(long parameters, long prunable, double sparsity) {
    if (!(sparsity >= 0 && sparsity < 1)) {
      throw new InvalidSettingException(
          "{sparsity}: expected at least 0 and less than 1, found " + sparsity);
    }
    long total = Math.round(sparsity * (double) parameters);
    if (total > prunable) {
      throw new InvalidSettingException(
          "{sparsity} %s of %d parameters: expected at most the %d that may be pruned, found %d"
              .formatted(sparsity, parameters, prunable, total));
    }
    return total;
  }

  /// Apportions by Webster's method: of all elements `s = 1, 2, ...` of each matrix with `c`
  /// elements, those with the smallest `(s - 1/2) / c` are pruned; ties go to the earlier matrix.
  /// The quota of a matrix never decreases as the sparsity grows, unlike with largest remainders.
  ///
  /// @param layout of all parameters
  /// @param sparsity fraction of all parameters
  /// @return the quota
  /// @throws InvalidSettingException if the matrices have too few elements
  public static PruningQuota of(ParameterLayout layout, double sparsity) {
    List<ParameterLayout.Entry> matrices = layout.where(Mask::prunable).entries();
    long prunable = matrices.stream().mapToLong(ParameterLayout.Entry::count).sum();
    long total = total(layout.count(), prunable, sparsity);
    long[] removed = new long[matrices.size()];
    long left = total;
    for (int i = 0; i < removed.length; i++) {
      double share = (double) total / (double) prunable;
      removed[i] = Math.round(share * (double) matrices.get(i).count());
      left -= removed[i];
    }
    for (; left > 0; left--) {
      removed[next(matrices, removed)]++;
    }
    for (; left < 0; left++) {
      removed[last(matrices, removed)]--;
    }
    Map<String, Long> byName = new HashMap<>();
    for (int i = 0; i < removed.length; i++) {
      byName.put(matrices.get(i).name(), removed[i]);
    }
    return new PruningQuota(layout, byName);
  }

  /// The matrix that loses the next element.
  private static int next(List<ParameterLayout.Entry> matrices, long[] removed) {
    int best = 0;
    for (int i = 1; i < removed.length; i++) {
      if (turn(matrices, i, removed[i] + 1) < turn(matrices, best, removed[best] + 1)) {
        best = i;
      }
    }
    return best;
  }

  /// The matrix that has lost the last element.
  private static int last(List<ParameterLayout.Entry> matrices, long[] removed) {
    int best = 0;
    for (int i = 1; i < removed.length; i++) {
      if (turn(matrices, i, removed[i]) >= turn(matrices, best, removed[best])) {
        best = i;
      }
    }
    return best;
  }

  /// When the `s`th element of a matrix goes.
  private static double turn(List<ParameterLayout.Entry> matrices, int matrix, long s) {
    return ((double) s - 0.5) / (double) matrices.get(matrix).count();
  }

  /// {@return the number of pruned elements of a parameter}
  ///
  /// @param name of the parameter
  public long removed(String name) {
    return removed.getOrDefault(name, 0L);
  }

  /// {@return the layout of the survivors, for estimates before there is a mask}
  public ParameterLayout kept() {
    return Mask.kept(layout, entry -> entry.count() - removed(entry.name()));
  }
}
