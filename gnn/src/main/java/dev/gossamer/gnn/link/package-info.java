/// Edges as what a network predicts: the outputs of two vertices are compared, by a product or by
/// one for each type of edges, and the higher it is, the more likely is an edge.
@NullMarked
package dev.gossamer.gnn.link;

import org.jspecify.annotations.NullMarked;
