/// From a graph to a coarser one: clusters by label propagation, then their contraction.
@NullMarked
package dev.gossamer.partition.coarsen;

import org.jspecify.annotations.NullMarked;
