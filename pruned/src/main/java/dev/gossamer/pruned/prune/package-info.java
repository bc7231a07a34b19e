/// Says when a network is pruned ([dev.gossamer.pruned.prune.Pruning]), decides which parameters
/// survive ([dev.gossamer.pruned.prune.Criterion]), and reads and writes mask files.
///
/// A sparsity is relative to all parameters, including vectors, which are never pruned. Imports the
/// matrix floor and `dev.gossamer.nn`. Start with [dev.gossamer.pruned.prune.MagnitudePruning].
@NullMarked
package dev.gossamer.pruned.prune;

import org.jspecify.annotations.NullMarked;
