/// Random numbers that depend on what they are for, never on who draws them: a draw belongs to a
/// seed, a stream, a step and a counter, so that any thread or rank can make it.
///
/// Imports nothing of Gossamer. Start with [dev.gossamer.matrix.random.Philox], which is all there
/// is.
@NullMarked
package dev.gossamer.matrix.random;

import org.jspecify.annotations.NullMarked;
