/// Edges as what a network predicts: the outputs of two vertices are compared, and the more alike
/// they are, the more likely is an edge.
@NullMarked
package dev.gossamer.gnn.link;

import org.jspecify.annotations.NullMarked;
