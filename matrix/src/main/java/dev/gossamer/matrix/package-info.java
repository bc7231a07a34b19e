/// Dense and sparse matrices in off-heap memory, and the threads that work on them.
///
/// Imports nothing of Gossamer. Start with [dev.gossamer.matrix.DenseMatrix] and
/// [dev.gossamer.matrix.CsrMatrix]; the arithmetic is in `dev.gossamer.matrix.kernel`.
@NullMarked
package dev.gossamer.matrix;

import org.jspecify.annotations.NullMarked;
