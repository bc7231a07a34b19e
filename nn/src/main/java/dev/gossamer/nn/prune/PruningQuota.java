package dev.gossamer.nn.prune;

import dev.gossamer.nn.Mask;
import dev.gossamer.nn.ParameterLayout;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How many elements of each matrix are pruned so that the sparsity of all parameters is as asked:
/// the same share of every matrix, the total exact.
///
/// @param layout of all parameters
/// @param removed elements of each matrix
public record PruningQuota(ParameterLayout layout, Map<String, Long> removed) {
  public PruningQuota {
    removed = Map.copyOf(removed);
  }

  /// Elements to prune: `round(sparsity * parameters)`.
  ///
  /// @param parameters elements of all parameters
  /// @param prunable those of matrices
  /// @throws IllegalArgumentException if there are fewer in matrices, or the sparsity is not a
  ///   share
  public static long total(long parameters, long prunable, double sparsity) {
    if (!(sparsity >= 0 && sparsity < 1)) {
      throw new IllegalArgumentException(
          "sparsity: expected a share of at least 0 and below 1, found " + sparsity);
    }
    long total = Math.round(sparsity * (double) parameters);
    if (total > prunable) {
      throw new IllegalArgumentException(
          "sparsity %s of %d parameters: expected at most the %d in matrices, found %d"
              .formatted(sparsity, parameters, prunable, total));
    }
    return total;
  }

  /// Shares by largest remainder, ties to the earlier matrix.
  ///
  /// @throws IllegalArgumentException if the matrices have too few elements
  public static PruningQuota of(ParameterLayout layout, double sparsity) {
    List<ParameterLayout.Entry> matrices = layout.where(Mask::prunable).entries();
    long prunable = matrices.stream().mapToLong(ParameterLayout.Entry::count).sum();
    long total = total(layout.count(), prunable, sparsity);
    record Share(String name, long whole, long rest) {}
    List<Share> shares = new ArrayList<>();
    for (ParameterLayout.Entry matrix : matrices) {
      BigInteger[] parts =
          BigInteger.valueOf(total)
              .multiply(BigInteger.valueOf(matrix.count()))
              .divideAndRemainder(BigInteger.valueOf(prunable));
      shares.add(new Share(matrix.name(), parts[0].longValueExact(), parts[1].longValueExact()));
    }
    long left = total - shares.stream().mapToLong(Share::whole).sum();
    shares.sort(Comparator.comparingLong(Share::rest).reversed());
    Map<String, Long> removed = new HashMap<>();
    for (Share share : shares) {
      removed.put(share.name(), share.whole() + (left-- > 0 ? 1 : 0));
    }
    return new PruningQuota(layout, removed);
  }

  /// Elements of a parameter that are pruned.
  public long removed(String name) {
    return removed.getOrDefault(name, 0L);
  }

  /// What a state keeps that is pruned so: for estimates before there is a mask.
  public ParameterLayout kept() {
    return Mask.kept(layout, entry -> entry.count() - removed(entry.name()));
  }
}
