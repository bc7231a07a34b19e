/// Timelines of ranks: named intervals of computation and communication.
///
/// Imports nothing. Floors above write to a [dev.gossamer.base.trace.Timeline]; this package does
/// not depend on its use.
@NullMarked
package dev.gossamer.base.trace;

import org.jspecify.annotations.NullMarked;
