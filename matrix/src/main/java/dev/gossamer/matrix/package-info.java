/// Dense and sparse matrices in off-heap memory, and the threads that work on them.
///
/// Imports nothing of Gossamer. Start with [dev.gossamer.matrix.DenseMatrix],
/// [dev.gossamer.matrix.CsrMatrix] and [dev.gossamer.base.Workers].
///
/// Kernels are in separate packages, each of which imports only those listed before it: `format`
/// (storage of numbers), `tile` (the building blocks of kernels), `dense`, `sparse`, `attention`.
/// All kernels have these guarantees. Results are bit-identical for any number of threads: work is
/// divided by sizes only, each task writes its own part of the result, and sums have a fixed order.
/// A kernel writes into memory of the caller and never allocates, except for
/// [dev.gossamer.matrix.sparse.Spgemm], whose result size is known only from the product. It checks
/// shapes and ids before its loops, which use addresses.
@NullMarked
package dev.gossamer.matrix;

import org.jspecify.annotations.NullMarked;
