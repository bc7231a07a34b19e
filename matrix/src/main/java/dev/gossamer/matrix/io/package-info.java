/// Files: the `.npy` format of a matrix, writing that is whole or absent, and the one-line error
/// for bad input.
///
/// Imports nothing of Gossamer but `dev.gossamer.matrix`.
@NullMarked
package dev.gossamer.matrix.io;

import org.jspecify.annotations.NullMarked;
