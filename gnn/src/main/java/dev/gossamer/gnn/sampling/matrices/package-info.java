/// The sparse matrices of bulk sampling (MBS, section IV): rows of the adjacency matrix, wherever
/// they are, the distributions made of them, and what is drawn from those.
///
/// Imports exchange and what lies below it. Start with
/// [dev.gossamer.gnn.sampling.matrices.AdjacencyRows].
@NullMarked
package dev.gossamer.gnn.sampling.matrices;

import org.jspecify.annotations.NullMarked;
