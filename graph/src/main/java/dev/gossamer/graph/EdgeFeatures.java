package dev.gossamer.graph;

import dev.gossamer.matrix.DenseMatrix;
import java.util.List;
import java.util.Objects;

/// The features of the edges of a graph. Of an undirected graph, both directions of an edge have
/// the same.
///
/// @param x a row of each stored entry of `A`, in their order (`nnz x d`), finite. Borrowed
/// @param names of each feature (`d`); empty if they are not known
public record EdgeFeatures(DenseMatrix x, List<String> names) {
  /// Checks the numbers.
  ///
  /// @throws IllegalArgumentException if there is no feature, or another number of names
  public EdgeFeatures {
    Objects.requireNonNull(x, "x");
    names = List.copyOf(names);
    if (x.cols() == 0 || (!names.isEmpty() && names.size() != x.cols())) {
      throw new IllegalArgumentException(
          "edgeFeatures: expected at least one, and no names or one for each, found %d and %d names"
              .formatted(x.cols(), names.size()));
    }
  }

  /// {@return `d`, features per edge}
  public int width() {
    return x.cols();
  }

  /// {@return a copy for other entries}
  ///
  /// @param rows of each of them. Borrowed
  EdgeFeatures with(DenseMatrix rows) {
    return new EdgeFeatures(rows, names);
  }
}
