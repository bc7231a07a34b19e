package dev.gossamer.partition;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.CsrMatrix;
import java.util.Objects;
import java.util.function.IntPredicate;

/// The input of a partitioner.
///
/// @param adjacency `A`, square; partitioners use the pattern of `A + A^T` without the diagonal,
///   and [Objective#EDGE_CUT] its values as edge weights. Borrowed
/// @param parts `k`, at least 1; parts may stay empty if there are fewer vertices
/// @param balance the loads that are balanced
/// @param training whether a vertex is a training vertex, for the training load
/// @param seed of all draws; the same seed yields the same partition for any number of threads
public record PartitionRequest(
    CsrMatrix adjacency, int parts, Balance balance, IntPredicate training, long seed) {
  /// Maximum number of parts, which are numbered in 16 bits.
  public static final int MOST_PARTS = 1 << 15;

  /// Checks the request.
  ///
  /// @throws InvalidSettingException if there are fewer than 1 or more than [#MOST_PARTS] parts
  /// @throws IllegalArgumentException if the matrix is not square
  public PartitionRequest {
    Objects.requireNonNull(adjacency, "adjacency");
    Objects.requireNonNull(balance, "balance");
    Objects.requireNonNull(training, "training");
    if (parts < 1 || parts > MOST_PARTS) {
      throw new InvalidSettingException(
          "{parts}: expected 1 to %d, found %d".formatted(MOST_PARTS, parts));
    }
    if (adjacency.rows() != adjacency.cols()) {
      throw new IllegalArgumentException("partition: expected a square matrix, found " + adjacency);
    }
  }

  /// {@return a request for the default balance of vertices and nonzeros, without training
  /// vertices}
  ///
  /// @param adjacency `A`, square
  /// @param parts `k`
  /// @param seed of all draws
  public static PartitionRequest of(CsrMatrix adjacency, int parts, long seed) {
    return new PartitionRequest(adjacency, parts, Balance.DEFAULT, v -> false, seed);
  }

  /// {@return a copy with other balanced loads}
  ///
  /// @param other the loads that are balanced
  public PartitionRequest withBalance(Balance other) {
    return new PartitionRequest(adjacency, parts, other, training, seed);
  }

  /// {@return a copy with training vertices, which are then balanced}
  ///
  /// @param other whether a vertex is a training vertex
  public PartitionRequest withTraining(IntPredicate other) {
    return new PartitionRequest(adjacency, parts, balance, other, seed);
  }

  /// {@return `n`}
  public int vertices() {
    return adjacency.cols();
  }
}
