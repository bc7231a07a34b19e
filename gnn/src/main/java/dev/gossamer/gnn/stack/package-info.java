/// What all trainers share: the shape of a network and its layers, the ranks that train it
/// together, and how its predictions are scored. Knows no trainer, no sampler and no exchange.
/// Start with [dev.gossamer.gnn.stack.NetworkSettings].
@NullMarked
package dev.gossamer.gnn.stack;

import org.jspecify.annotations.NullMarked;
