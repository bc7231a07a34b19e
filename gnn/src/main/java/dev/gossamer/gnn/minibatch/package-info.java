/// Minibatch training (MBS, section 6): sample, fetch features, propagate, step, on one rank or
/// many. Start with [dev.gossamer.gnn.minibatch.MinibatchTrainer].
@NullMarked
package dev.gossamer.gnn.minibatch;

import org.jspecify.annotations.NullMarked;
