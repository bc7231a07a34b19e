/// Features of all hops, computed before the first epoch for networks that do not look at the graph
/// afterwards ([dev.gossamer.gnn.stack.Hops]). Start with [dev.gossamer.gnn.hop.HopFeatures].
/// Imports the stack, exchange and what lies below them, no sampler and no trainer.
@NullMarked
package dev.gossamer.gnn.hop;

import org.jspecify.annotations.NullMarked;
