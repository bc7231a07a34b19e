/// Decides which parameters of a network survive (by magnitude, by channel, at random) and when to
/// draw a ticket; reads and writes mask files.
///
/// A sparsity is relative to all parameters, including vectors, which are never pruned. Imports the
/// matrix floor and `dev.gossamer.nn`. Start with [dev.gossamer.pruned.prune.MagnitudePruning].
@NullMarked
package dev.gossamer.pruned.prune;

import org.jspecify.annotations.NullMarked;
