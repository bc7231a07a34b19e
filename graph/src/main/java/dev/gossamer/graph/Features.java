package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;

/// The input features `X` (`n x f`), one row a vertex.
public sealed interface Features {
  /// Features per vertex; 0 for [None].
  int width();

  /// Every feature stored.
  record Dense(DenseMatrix x) implements Features {
    @Override
    public int width() {
      return x.cols();
    }
  }

  /// Only the nonzero features stored: bags of words, one-hot attributes.
  record Sparse(CsrMatrix x) implements Features {
    @Override
    public int width() {
      return x.cols();
    }
  }

  /// A graph that is only a graph: enough to partition, not to train.
  record None() implements Features {
    @Override
    public int width() {
      return 0;
    }
  }
}
