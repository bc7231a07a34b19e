/// The pieces that kernels work in: tiles of a product in registers, panels of packed operands in a
/// cache, squares that are transposed, tasks of rows.
///
/// Imports `dev.gossamer.matrix`, `format` and `memory`; the packages of kernels import this one,
/// and no module sees it. Start with [dev.gossamer.matrix.tile.Tiles]. The unrolled loops in it,
/// and in the packages of kernels, are generated from `matrix/src/templates`.
@NullMarked
package dev.gossamer.matrix.tile;

import org.jspecify.annotations.NullMarked;
