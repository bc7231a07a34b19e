/// Dense and sparse matrices in off-heap memory, and the threads that work on them.
///
/// Imports nothing of Gossamer. Start with [dev.gossamer.matrix.DenseMatrix],
/// [dev.gossamer.matrix.CsrMatrix] and [dev.gossamer.matrix.Workers].
///
/// The arithmetic is in packages of its own, each of which imports only what is left of it:
/// `format` (how numbers are stored), `tile` (the pieces that kernels work in), `dense`, `sparse`,
/// `attention`. What is true of all of it is said here once. A kernel gives the same bits for any
/// number of threads: work is cut by sizes only, each task writes its own part of the result, and
/// sums have a fixed order. It writes into memory of the caller and never allocates, but for
/// [dev.gossamer.matrix.sparse.Spgemm], the size of whose result only the product knows. It checks
/// shapes and ids before its loops, which go by addresses.
@NullMarked
package dev.gossamer.matrix;

import org.jspecify.annotations.NullMarked;
