/// Coarsening: clusters by label propagation, then their contraction to a smaller graph.
@NullMarked
package dev.gossamer.partition.coarsen;

import org.jspecify.annotations.NullMarked;
