/// Partitioners: which rank should own which vertex, so that few rows travel and no rank sends many
/// more than the others (SA, section 5).
///
/// Start with [dev.gossamer.partition.Partitioner]; [dev.gossamer.partition.PartitionQuality] says
/// from the definition what a partition is worth. The multilevel method lies in folders by its
/// steps: `level` (graphs and state), `coarsen`, `initial`, `refine`. Imports the matrix and graph
/// floors.
@NullMarked
package dev.gossamer.partition;

import org.jspecify.annotations.NullMarked;
