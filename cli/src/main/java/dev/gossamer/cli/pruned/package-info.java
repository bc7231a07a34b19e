/// Pruned dense networks: the commands of `prune`, with their flags and reports.
@NullMarked
package dev.gossamer.cli.pruned;

import org.jspecify.annotations.NullMarked;
