/// Attention over the edges of a graph, and of the tokens of a text. Start with Attention.
@NullMarked
package dev.gossamer.matrix.attention;

import org.jspecify.annotations.NullMarked;
