/// Counter-based random numbers: a draw is determined by a seed, a stream, a step and a counter,
/// not by the thread or rank that draws it.
///
/// Imports nothing of Gossamer. Start with [dev.gossamer.matrix.random.Philox], the only class.
@NullMarked
package dev.gossamer.matrix.random;

import org.jspecify.annotations.NullMarked;
