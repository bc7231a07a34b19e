package dev.gossamer.nn;

/// Which matrices of a pruned model are multiplied as sparse ones, and which as dense ones with
/// zeros for what is pruned. The same matrix and survivors give the same answer, so that a run that
/// is resumed goes on as it was.
@FunctionalInterface
public interface ProductChoice {
  /// {@return whether a matrix is multiplied as a sparse one}
  ///
  /// @param matrix that has lost elements
  /// @param kept how many are left
  boolean isSparse(ParameterLayout.Entry matrix, long kept);
}
