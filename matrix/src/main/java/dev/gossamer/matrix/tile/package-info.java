/// The building blocks of kernels: tiles of a product in registers, panels of packed operands in a
/// cache, transposed squares, tasks of rows.
///
/// Imports `dev.gossamer.matrix`, `format` and `memory`; the packages of kernels import this one,
/// and it is exported to no module. Start with [dev.gossamer.matrix.tile.Tiles]. The unrolled loops
/// in it, and in the packages of kernels, are generated from `matrix/src/templates`.
@NullMarked
package dev.gossamer.matrix.tile;

import org.jspecify.annotations.NullMarked;
