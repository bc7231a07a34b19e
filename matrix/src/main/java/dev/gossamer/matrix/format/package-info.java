/// Storage and transfer formats of numbers and rows: 32 and 16 bits, and gathering, scattering,
/// packing and unpacking of rows.
///
/// Products are always float32; 16-bit numbers are widened when they are loaded. Imports
/// `dev.gossamer.matrix` and `memory`. Start with [dev.gossamer.matrix.format.NumberFormat] and
/// [dev.gossamer.matrix.format.StoredMatrix], which is a matrix of such numbers;
/// [dev.gossamer.matrix.format.RowFormat] is the format of rows that ranks send.
@NullMarked
package dev.gossamer.matrix.format;

import org.jspecify.annotations.NullMarked;
