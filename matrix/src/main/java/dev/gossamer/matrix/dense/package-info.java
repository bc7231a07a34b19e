/// Kernels on dense matrices: products and operations fused into their last step, losses,
/// normalisation, image windows, optimizer steps.
///
/// Imports `dev.gossamer.matrix`, `format`, `memory`, `random` and `tile`. Start with
/// [dev.gossamer.matrix.dense.Matmul] and its implementation `JavaMatmul`; an operation on a row
/// while it is in cache is a [dev.gossamer.matrix.dense.RowEpilogue], and
/// [dev.gossamer.matrix.dense.Epilogues] has the common ones. See `dev.gossamer.matrix` for the
/// guarantees of all kernels.
@NullMarked
package dev.gossamer.matrix.dense;

import org.jspecify.annotations.NullMarked;
