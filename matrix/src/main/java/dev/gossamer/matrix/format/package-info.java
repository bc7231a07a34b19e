/// How numbers and rows are stored and moved: 32 and 16 bits, and rows gathered, scattered, packed
/// and unpacked.
///
/// Products are always float32; numbers of 16 bits are widened on the way. Imports
/// `dev.gossamer.matrix` and `memory`. Start with [dev.gossamer.matrix.format.NumberFormat] and
/// [dev.gossamer.matrix.format.StoredMatrix], which is a matrix of such numbers; rows that travel
/// between ranks are a [dev.gossamer.matrix.format.RowFormat].
@NullMarked
package dev.gossamer.matrix.format;

import org.jspecify.annotations.NullMarked;
