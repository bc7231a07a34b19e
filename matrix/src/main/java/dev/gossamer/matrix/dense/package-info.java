/// Kernels on dense matrices: products and what is fused into their last step, losses,
/// normalisation, windows of images, optimizer steps.
///
/// Imports `dev.gossamer.matrix`, `format`, `memory`, `random` and `tile`. Start with
/// [dev.gossamer.matrix.dense.Matmul] and, behind it, `JavaMatmul`; what happens to a row while it
/// is in cache is a [dev.gossamer.matrix.dense.RowEpilogue], of which
/// [dev.gossamer.matrix.dense.Epilogues] has the usual ones. See `dev.gossamer.matrix` for what all
/// kernels promise.
@NullMarked
package dev.gossamer.matrix.dense;

import org.jspecify.annotations.NullMarked;
