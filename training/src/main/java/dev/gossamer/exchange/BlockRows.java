package dev.gossamer.exchange;

import dev.gossamer.matrix.CsrMatrix;

/// The block rows of one owner: `n_i` rows of `Â` and the same rows of `Â^T`, with all `n` columns
/// in ascending order.
///
/// A symmetric pattern is stored once: then both matrices have the same memory for column ids, and
/// if the scales are the same too, both are one object. What is shared here is shared by everything
/// that is made from it.
///
/// @param forward rows of `Â`, `n_i x n`
/// @param backward rows of `Â^T`, `n_i x n`
public record BlockRows(CsrMatrix forward, CsrMatrix backward) {
  public BlockRows {
    if (forward.rows() != backward.rows() || forward.cols() != backward.cols()) {
      throw new IllegalArgumentException(
          "block rows: forward is %s but backward is %s; the shapes must agree"
              .formatted(forward, backward));
    }
  }

  /// Whether both have the same entries, apart from the scales.
  boolean samePattern() {
    return forward == backward || forward.columns() == backward.columns();
  }
}
