/// Files: the `.npy` format of a matrix, atomic output, and the one-line errors for bad input and
/// bad settings.
///
/// Imports nothing of Gossamer. Start with [dev.gossamer.matrix.io.AtomicOutput] and
/// [dev.gossamer.matrix.io.NpyFile].
@NullMarked
package dev.gossamer.matrix.io;

import org.jspecify.annotations.NullMarked;
