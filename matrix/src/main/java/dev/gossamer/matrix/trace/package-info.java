/// What a rank did when: named intervals of computing and of communication.
///
/// Imports nothing. Floors above write to a [dev.gossamer.matrix.trace.Timeline]; what becomes of
/// it is not known here.
@NullMarked
package dev.gossamer.matrix.trace;

import org.jspecify.annotations.NullMarked;
