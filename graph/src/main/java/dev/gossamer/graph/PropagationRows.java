package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import java.util.Objects;

/// Some rows of `Â` and the same rows of `Â^T`, with all `n` columns in ascending order.
///
/// The rows of a symmetric pattern are stored once: then both matrices differ in their scales at
/// most, and if they do not differ at all, both are one object. What is shared here is shared by
/// everything that is made from it.
///
/// @param forward rows of `Â`, `m x n`
/// @param backward rows of `Â^T`, `m x n`
/// @param samePattern whether both have the same entries, apart from the scales; a property of the
///   graph, and so the same for any of its rows
public record PropagationRows(CsrMatrix forward, CsrMatrix backward, boolean samePattern) {
  /// Checks that both matrices go together.
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
