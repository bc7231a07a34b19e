package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import java.util.Objects;

/// A set of rows of `Â` and of `Â^T`, with all `n` columns in ascending order.
///
/// The rows of a symmetric pattern are stored once: then the matrices differ only in their scales,
/// and equal matrices are one object. Results computed from these rows share in the same way.
///
/// @param forward rows of `Â`, `m x n`
/// @param backward rows of `Â^T`, `m x n`
/// @param samePattern whether both have the same entries, apart from the scales; a property of the
///   graph, the same for all rows
public record PropagationRows(CsrMatrix forward, CsrMatrix backward, boolean samePattern) {
  /// Checks that the matrices are consistent.
  public PropagationRows {
    Objects.requireNonNull(forward, "forward");
    Objects.requireNonNull(backward, "backward");
    if (forward.rows() != backward.rows() || forward.cols() != backward.cols()) {
      throw new IllegalArgumentException(
          "propagation: forward is %s but backward is %s; the shapes must agree"
              .formatted(forward, backward));
    }
    if (samePattern ? forward.nnz() != backward.nnz() : forward == backward) {
      throw new IllegalArgumentException(
          "propagation: forward is %s and backward is %s; that contradicts samePattern = %s"
              .formatted(forward, backward, samePattern));
    }
  }
}
