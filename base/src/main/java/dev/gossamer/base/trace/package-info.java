/// Timelines of ranks: named intervals of computation and communication.
///
/// Imports nothing. Other modules write to a [dev.gossamer.base.trace.Timeline].
@NullMarked
package dev.gossamer.base.trace;

import org.jspecify.annotations.NullMarked;
