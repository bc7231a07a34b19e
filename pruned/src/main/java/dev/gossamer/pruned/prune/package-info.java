/// Which parameters of a network survive: by magnitude, by channel, at random; when to draw a
/// ticket; and the files that masks are kept in.
///
/// A sparsity counts all parameters, vectors too, which are never pruned. Imports the floor of
/// matrices and `dev.gossamer.nn`. Start with [dev.gossamer.pruned.prune.MagnitudePruning].
@NullMarked
package dev.gossamer.pruned.prune;

import org.jspecify.annotations.NullMarked;
