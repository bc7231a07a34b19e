/// How numbers and rows are stored and moved: 16-bit formats, gathers of rows. Start with
/// NumberFormat.
@NullMarked
package dev.gossamer.matrix.format;

import org.jspecify.annotations.NullMarked;
