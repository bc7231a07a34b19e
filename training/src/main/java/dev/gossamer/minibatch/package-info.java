/// Minibatch training (MBS, section 6): sample, fetch features, propagate, step, on one rank or
/// many. Start with [dev.gossamer.minibatch.MinibatchTrainer].
@NullMarked
package dev.gossamer.minibatch;

import org.jspecify.annotations.NullMarked;
