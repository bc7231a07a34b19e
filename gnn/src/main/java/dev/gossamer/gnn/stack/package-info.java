/// Code that all trainers share: the shape of a network, its layers, and their passes. Knows no
/// trainer, no sampler and no exchange. Start with [dev.gossamer.gnn.stack.NetworkSettings].
@NullMarked
package dev.gossamer.gnn.stack;

import org.jspecify.annotations.NullMarked;
