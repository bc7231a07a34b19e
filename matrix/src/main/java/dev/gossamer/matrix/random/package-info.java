/// Random numbers that depend on what they are for, never on who draws them. Start with Philox.
@NullMarked
package dev.gossamer.matrix.random;

import org.jspecify.annotations.NullMarked;
