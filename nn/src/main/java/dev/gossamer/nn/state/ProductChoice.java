package dev.gossamer.nn.state;

/// Decides which matrices of a pruned model are multiplied as sparse matrices, and which as dense
/// matrices with zeros for pruned weights. The decision depends only on the matrix and its
/// surviving weights, so a resumed run makes the same choice.
@FunctionalInterface
public interface ProductChoice {
  /// {@return whether a matrix is multiplied as a sparse one}
  ///
  /// @param matrix that has lost elements
  /// @param kept number of elements that survive
  boolean isSparse(ParameterLayout.Entry matrix, long kept);
}
