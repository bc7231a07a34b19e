/// Edges as what a network predicts: the outputs of two vertices are compared, by a product, one
/// for each type of edges, or layers, and the higher it is, the more likely is an edge.
@NullMarked
package dev.gossamer.gnn.link;

import org.jspecify.annotations.NullMarked;
