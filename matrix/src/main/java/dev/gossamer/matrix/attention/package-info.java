/// Attention over the edges of a graph, sums over them by relation, and attention over the tokens
/// of a text.
///
/// Imports all other packages of kernels. Start with [dev.gossamer.matrix.attention.Attention] and
/// [dev.gossamer.matrix.attention.EdgePattern] for graphs, with
/// [dev.gossamer.matrix.attention.CausalHeads] for texts. See `dev.gossamer.matrix` for the
/// guarantees of all kernels.
@NullMarked
package dev.gossamer.matrix.attention;

import org.jspecify.annotations.NullMarked;
