/// Kernels on sparse matrices: products with dense and with sparse matrices, products at the
/// positions of nonzeros, and products with pruned weights.
///
/// Imports `dev.gossamer.matrix`, `dense`, `format`, `memory` and `tile`. Start with
/// [dev.gossamer.matrix.sparse.Spmm] for graphs; with [dev.gossamer.matrix.sparse.Spgemm] for
/// sampling; with [dev.gossamer.matrix.sparse.SurvivorIndex] and
/// [dev.gossamer.matrix.sparse.SparseProducts] for pruned layers. See `dev.gossamer.matrix` for the
/// guarantees of all kernels.
@NullMarked
package dev.gossamer.matrix.sparse;

import org.jspecify.annotations.NullMarked;
