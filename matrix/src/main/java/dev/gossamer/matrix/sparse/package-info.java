/// Kernels on sparse matrices: products with dense and with sparse ones, products at the places of
/// nonzeros, and the weights that pruning leaves.
///
/// Imports `dev.gossamer.matrix`, `dense`, `format`, `memory` and `tile`. Start with
/// [dev.gossamer.matrix.sparse.Spmm] for graphs; with [dev.gossamer.matrix.sparse.Spgemm] for
/// sampling; with [dev.gossamer.matrix.sparse.SurvivorIndex] and
/// [dev.gossamer.matrix.sparse.SparseProducts] for pruned layers. See `dev.gossamer.matrix` for
/// what all kernels promise.
@NullMarked
package dev.gossamer.matrix.sparse;

import org.jspecify.annotations.NullMarked;
