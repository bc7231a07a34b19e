/// Timelines of ranks: named intervals of computation and communication. And the events that JDK
/// Flight Recorder shows of them, if somebody records.
///
/// Imports nothing. Other modules write to a [dev.gossamer.base.trace.Timeline].
@NullMarked
package dev.gossamer.base.trace;

import org.jspecify.annotations.NullMarked;
